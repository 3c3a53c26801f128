import {
  CompanyPath,
  DryRunResult,
  EmployeesBody,
  employeesExample,
  EmployeesPutQuery,
  ImportErrors,
  importErrorsExample,
  ImportResult,
  importResultExample,
} from '@rollcall/contracts';
import type { ReadModelReader } from '@rollcall/adapters';
import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { callContext, callOf, callerOf } from '../http/call.js';
import { receiveLargeBody } from '../http/json-body.js';
import { errorResponses, jsonResponse } from '../http/responses.js';
import type { Routes } from '../http/route-kit.js';
import type { EmployeeImportOutcome } from '../imports/outcome.js';

/** How long an answer waits for the read models to show what it tells (design: "Read models"). */
const readModelWaitMs = 1000;

const Answers = Type.Union([ImportResult, DryRunResult]);

const schema = {
  tags: ['Employees'],
  summary: 'Replaces all employees of the company, or rehearses it',
  params: CompanyPath,
  querystring: EmployeesPutQuery,
  body: { content: { 'application/json': { schema: EmployeesBody, example: employeesExample } } },
  response: {
    200: jsonResponse('Carried out, or with dryRun=true rehearsed', Answers, importResultExample),
    ...errorResponses(401, 408, 413, 415, 429, 500, 503),
    400: jsonResponse('Refused; nothing changed', ImportErrors, importErrorsExample),
  },
};

interface Answer {
  readonly status: 200 | 400;
  readonly body: ImportResult | ImportErrors | DryRunResult;
}

/** `PUT /v1.0/Company/{companyId}/Employee` (interface.md, "Replace the employees of a company"). */
export const employeesPutRoutes: Routes = (app, { guards, config, imports, readModels }) => {
  app.route({
    method: 'PUT',
    url: '/v1.0/Company/:companyId/Employee',
    onRequest: guards.hrIntegration,
    config: {
      errorBody: 'employees',
      body: 'stream',
      onRefused: async (request, errors) => {
        if (isDryRun(request)) return;
        const context = callContext(request);
        await imports.refuse({ context, method: methodOf(request), bodySha256: null }, errors);
      },
    },
    schema,
    handler: async (request, reply) => {
      const { bytes: body, sha256: bodySha256 } = await receiveLargeBody(request, config);
      const outcome = await imports.run({
        companyId: callerOf(request).companyId,
        context: callContext(request),
        method: methodOf(request),
        body,
        bodySha256,
        dryRun: isDryRun(request),
      });
      await shown(readModels, outcome);
      const { status, body: answer } = answerTo(outcome, callOf(request).operationId);
      return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
    },
  });
};

const methodOf = (request: FastifyRequest): string =>
  `PUT /v1.0/Company/${callerOf(request).companyId}/Employee`;

/** Told from the URL, because a call whose query was refused has no query. */
function isDryRun({ url }: FastifyRequest): boolean {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  return [...query].some(([name, value]) => name.toLowerCase() === 'dryrun' && value === 'true');
}

async function shown(readModels: ReadModelReader, outcome: EmployeeImportOutcome): Promise<void> {
  if (outcome.kind === 'dry-run' || outcome.position === undefined) return;
  await readModels.reached(outcome.position, readModelWaitMs);
}

function answerTo(outcome: EmployeeImportOutcome, operationId: string): Answer {
  switch (outcome.kind) {
    case 'done': {
      const { inserted, updated, removed } = outcome;
      const counts = { Inserted: inserted, Updated: updated, Removed: removed };
      return { status: 200, body: { ApiOperationId: operationId, ...counts, WasQueued: false } };
    }
    case 'refused':
      return { status: 400, body: { ApiOperationId: operationId, ValidationErrors: [...outcome.errors] } };
    case 'dry-run':
      return { status: 200, body: outcome.result };
    default:
      return outcome satisfies never;
  }
}
