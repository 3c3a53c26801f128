import {
  CompanyPath,
  EnabledLanguages,
  NoQuery,
  enabledLanguagesExample,
  type CompanyConfigured,
  CompanyLimits,
  companyLimitsExample,
} from '@rollcall/contracts';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';
import { fromJson, readPendingImports } from '@rollcall/application';
import { companies, maxPendingImports } from '@rollcall/domain';
import type { ApiConfig } from '../deps.js';
import { HttpError } from '../http/errors.js';

export const languageRoutes: Routes = (app, { damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Language/Enabled',
    onRequest: guards.anyUser,
    schema: {
      tags: ['Company'],
      operationId: 'listLanguages',
      summary: "The company's languages",
      description: 'As configured, in that order.',
      params: CompanyPath,
      querystring: NoQuery,
      response: {
        200: jsonResponse('The languages', EnabledLanguages, enabledLanguagesExample),
        ...readErrors,
      },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      await refuseParked({ readModels, damage }, (stream) => stream === `company-${companyId}`);
      const json = await readModels.get('companies', [companyId]);
      return reply
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(json ? languagesOf(json) : []));
    },
  });
};

const settingsOf = (json: Uint8Array): CompanyConfigured['settings'] =>
  (fromJson(json) as CompanyConfigured).settings;

const languagesOf = (json: Uint8Array): EnabledLanguages =>
  settingsOf(json).languages.map(({ id, label, code }) => ({ id, label, code }));

/** `GET /v1.0/Company/{companyId}/Limits` (docs/contract, "Limits in force"). */
export const limitRoutes: Routes = (app, { clock, config, damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Limits',
    onRequest: guards.anyUser,
    schema: {
      tags: ['Company'],
      operationId: 'getLimits',
      summary: 'The limits of imports in force',
      description: "The company's and the installation's, and how many imports are pending.",
      params: CompanyPath,
      querystring: NoQuery,
      response: { 200: jsonResponse('The limits', CompanyLimits, companyLimitsExample), ...readErrors },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      await refuseParked({ readModels, damage }, (stream) => stream === `company-${companyId}`);
      const json = await readModels.get('companies', [companyId]);
      if (!json) throw new HttpError('unavailable', { reason: 'the company is not projected yet' });
      const pending = await readPendingImports(readModels, companyId);
      const limits = limitsOf(json, config, pending.length, clock.now());
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(limits));
    },
  });
};

function limitsOf(json: Uint8Array, config: ApiConfig, pending: number, now: number): CompanyLimits {
  const settings = settingsOf(json);
  return {
    BatchLimit: companies.batchLimitAt(settings, now),
    BatchLimitFrom: settings.batchLimitFrom,
    OverLimit: settings.overLimit,
    QueueThreshold: settings.queueThreshold,
    QueueBodyBytes: config.queueBodyBytes,
    EmployeeBodyLimit: config.employeeBodyLimit,
    ManagerBodyLimit: config.managerBodyLimit,
    BodyLimit: config.bodyLimit,
    RateLimitPerMinute: config.rateLimitPerMinute,
    PendingImports: pending,
    MostPendingImports: maxPendingImports,
  };
}
