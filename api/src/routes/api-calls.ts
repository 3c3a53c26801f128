import {
  ApiCalls,
  ApiCallsQuery,
  CompanyPath,
  apiCallExample,
  maxApiCallsPage,
  queuedApiCallExample,
} from '@rollcall/contracts';
import { apiCallRow, readApiCalls, type ApiCallsBefore, type ReadModelReader } from '@rollcall/application';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { textsOf, firstPage, nextPage, type PageTexts } from '../http/json-array.js';
import { pageHeaders } from '../http/header-schemas.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';

export const apiCallRoutes: Routes = (app, { damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/ApiCalls',
    onRequest: guards.anyUser,
    schema: {
      tags: ['Company'],
      operationId: 'listApiCalls',
      summary: 'Imports and what became of them',
      description:
        'Newest first. With `ApiOperationId` the one call, or an empty array where it is unknown: so a queued import is followed until `CompletedOn` is given. Rehearsals and 401s leave no row.',
      params: CompanyPath,
      querystring: ApiCallsQuery,
      response: {
        200: jsonResponse(
          'At most 100 calls; Link leads to older ones',
          ApiCalls,
          [queuedApiCallExample, apiCallExample],
          pageHeaders,
        ),
        ...readErrors,
      },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      const { Top = maxApiCallsPage, ...query } = request.query;
      const before = query.Before?.toLowerCase();
      const operationId = query.ApiOperationId?.toLowerCase();
      const concerned = [`company-${companyId}`, `operation-${operationId}`];
      await refuseParked({ readModels, damage }, (stream) => concerned.includes(stream));
      const page = operationId
        ? await oneCall(readModels, [companyId, operationId], before)
        : await firstPage(pageRows(readModels, { companyId, before, limit: Top + 1 }), Top);
      if (page.last !== undefined)
        reply.header('link', nextPage(`/v1.0/Company/${companyId}/ApiCalls`, { Top, Before: page.last }));
      return reply.type('application/json; charset=utf-8').send(page.json);
    },
  });
};

async function* pageRows(readModels: ReadModelReader, wanted: ApiCallsBefore): AsyncGenerator<PageTexts> {
  for await (const calls of readApiCalls(readModels, wanted))
    yield { ...textsOf(calls, ({ row }) => row), idAt: (at) => calls[at]?.operationId ?? '' };
}

async function oneCall(
  readModels: ReadModelReader,
  key: readonly [companyId: number, operationId: string],
  before: string | undefined,
) {
  const row = before === undefined || key[1] < before ? await apiCallRow(readModels, ...key) : undefined;
  return {
    json: row ? Buffer.concat([Buffer.from('['), row, Buffer.from(']')]) : Buffer.from('[]'),
    last: undefined,
  };
}
