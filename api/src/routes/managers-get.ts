import { Readable } from 'node:stream';
import { CompanyPath, Managers, managersExample, NoQuery } from '@rollcall/contracts';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { reportRead } from '../http/counted-reads.js';
import { startedStream } from '../http/json-array.js';
import { revisionHeaders } from '../http/header-schemas.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';
import { managersText } from '../managers/managers-text.js';
import type { ReadModelReader } from '@rollcall/application';

/** The ETag: quoted revision of the set's last event, if any. Read it before the rows, so that it is never too new. */
async function setRevision(readModels: ReadModelReader, companyId: number): Promise<string | undefined> {
  const json = await readModels.get('manager-sets', [companyId]);
  if (!json) return undefined;
  const set: unknown = JSON.parse(Buffer.from(json).toString());
  if (typeof set !== 'object' || set === null || !('revision' in set)) return undefined;
  return typeof set.revision === 'number' ? `"${set.revision}"` : undefined;
}

export const managersGetRoutes: Routes = (app, { access, damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Managers',
    onRequest: guards.reader,
    schema: {
      tags: ['Managers'],
      operationId: 'getManagers',
      summary: 'All portal users, manager roles and departments',
      description: 'Those locked and disabled too. Needs the role HRIntegration or Auditor.',
      params: CompanyPath,
      querystring: NoQuery,
      response: {
        200: jsonResponse(
          'ETag is what If-Match of the import takes',
          Managers,
          managersExample,
          revisionHeaders,
        ),
        ...readErrors,
      },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      await refuseParked({ readModels, damage }, (stream) => stream === `company-${companyId}`);
      const etag = await setRevision(readModels, companyId);
      if (etag !== undefined) reply.header('etag', etag);
      reply.type('application/json; charset=utf-8');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      return reply.send(
        await startedStream(managersText(readModels, companyId, reportRead({ access }, request, 'managers'))),
      );
    },
  });
};
