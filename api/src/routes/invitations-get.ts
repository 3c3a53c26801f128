import { readInvitations } from '@rollcall/application';
import {
  CompanyPath,
  deferredInvitationExample,
  type Invitation,
  invitationExample,
  Invitations,
  InvitationsQuery,
  maxInvitationsPage,
} from '@rollcall/contracts';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { reportRead } from '../http/counted-reads.js';
import { nextPage } from '../http/json-array.js';
import { pageHeaders } from '../http/header-schemas.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';

export const invitationsGetRoutes: Routes = (app, { access, clock, damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Invitations',
    onRequest: guards.reader,
    schema: {
      tags: ['Employees'],
      operationId: 'listInvitations',
      summary: 'The invitations of employees',
      description:
        'By the number of the employee, those who have left too. Needs the role HRIntegration or Auditor.',
      params: CompanyPath,
      querystring: InvitationsQuery,
      response: {
        200: jsonResponse(
          'At most 1,000 invitations; Link leads to more',
          Invitations,
          [invitationExample, deferredInvitationExample],
          pageHeaders,
        ),
        ...readErrors,
      },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      const { Top = maxInvitationsPage, State: state, After: after } = request.query;
      await refuseParked({ readModels, damage }, (stream) => isConcerned(stream, companyId));
      const found = readInvitations(readModels, { companyId, now: clock.now(), state, after });
      const page = await pageOf(found, Top);
      if (request.method !== 'HEAD') reportRead({ access }, request, 'invitations')(page.rows.length);
      const path = `/v1.0/Company/${companyId}/Invitations`;
      const filter = state === undefined ? {} : { State: state };
      if (page.last !== undefined) reply.header('link', nextPage(path, { ...filter, Top, After: page.last }));
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(page.rows));
    },
  });
};

const isConcerned = (stream: string, companyId: number): boolean =>
  stream === `company-${companyId}` || stream.startsWith(`invitation-${companyId}-`);

async function pageOf(
  found: AsyncGenerator<Invitation>,
  top: number,
): Promise<{ readonly rows: readonly Invitation[]; readonly last?: number | undefined }> {
  const rows: Invitation[] = [];
  for await (const row of found) {
    if (rows.length === top) return { rows, last: rows.at(-1)?.Number };
    rows.push(row);
  }
  return { rows };
}
