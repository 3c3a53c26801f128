import { ApiCalls, ApiCallsQuery, CompanyPath, apiCallExample, maxApiCallsPage } from '@rollcall/contracts';
import type { ReadModelReader } from '@rollcall/adapters';
import { refuseBroken } from '../http/broken-streams.js';
import { callerOf } from '../http/call.js';
import { firstPage, nextPage } from '../http/pages.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../http/route-kit.js';

const collection = 'api-calls';

export const apiCallRoutes: Routes = (app, { guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/ApiCalls',
    onRequest: guards.anyUser,
    schema: {
      tags: ['Company'],
      summary: 'Imports and what became of them, newest first',
      params: CompanyPath,
      querystring: ApiCallsQuery,
      response: {
        200: jsonResponse('At most 100 calls; Link leads to older ones', ApiCalls, [apiCallExample]),
        ...readErrors,
      },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      await refuseBroken(readModels, (stream) => stream === `company-${companyId}`);
      const { ApiOperationId, Top = maxApiCallsPage, Before } = request.query;
      const before = Before?.toLowerCase();
      const page = ApiOperationId
        ? await oneCall(readModels, [companyId, ApiOperationId.toLowerCase()], before)
        : await firstPage(
            readModels.find(collection, {
              prefix: [companyId],
              ...(before === undefined ? {} : { after: [companyId, before] }),
              limit: Top + 1,
              reverse: true,
            }),
            Top,
          );
      if (page.last !== undefined)
        reply.header('link', nextPage(`/v1.0/Company/${companyId}/ApiCalls`, { Top, Before: page.last }));
      return reply.type('application/json; charset=utf-8').send(page.json);
    },
  });
};

async function oneCall(
  readModels: ReadModelReader,
  key: readonly [number, string],
  before: string | undefined,
) {
  const row = before === undefined || key[1] < before ? await readModels.get(collection, key) : undefined;
  return {
    json: row ? Buffer.concat([Buffer.from('['), row, Buffer.from(']')]) : Buffer.from('[]'),
    last: undefined,
  };
}
