import {
  CompanyPath,
  EnabledLanguages,
  NoQuery,
  enabledLanguagesExample,
  type CompanyConfigured,
} from '@rollcall/contracts';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';

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

function languagesOf(json: Uint8Array): EnabledLanguages {
  const { settings } = JSON.parse(Buffer.from(json).toString()) as Pick<CompanyConfigured, 'settings'>;
  return settings.languages.map(({ id, label, code }) => ({ id, label, code }));
}
