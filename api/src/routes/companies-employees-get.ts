import { CompanyPath, EmployeeRows, EmployeesQuery, employeeRowExample } from '@rollcall/contracts';
import { type OrderedRows, type ReadModelReader, readOrderedRows } from '@rollcall/application';
import { withFirstInvitations } from '../employees/first-invitations.js';
import { refuseParked } from '../http/parked-streams.js';
import { callerOf } from '../http/call.js';
import { startedArray } from '../http/json-array.js';
import { firstPage, nextPage, type PageTexts } from '../http/pages.js';
import { pageHeaders, revisionHeaders } from '../http/header-schemas.js';
import { jsonResponse, readErrors } from '../http/responses.js';
import type { Routes } from '../http/route-dependencies.js';
import { setRevision } from '../http/set-revision.js';

const schema = {
  tags: ['Employees'],
  operationId: 'listEmployees',
  summary: 'All employees, or a page of them',
  description:
    'In the order of EmployeeID. Without `Top` all are streamed in one answer. Needs the role HRIntegration.',
  params: CompanyPath,
  querystring: EmployeesQuery,
  response: {
    200: jsonResponse('With Top, Link leads to the next page', EmployeeRows, [employeeRowExample], {
      ...revisionHeaders,
      ...pageHeaders,
    }),
    ...readErrors,
  },
};

export const employeesGetRoutes: Routes = (app, { damage, guards, readModels }) => {
  app.route({
    method: 'GET',
    url: '/v1.0/Company/:companyId/Employee',
    onRequest: guards.hrIntegration,
    schema,
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      await refuseParked({ readModels, damage }, (stream) => stream === `company-${companyId}`);
      const etag = await setRevision(readModels, 'employee-sets', companyId);
      if (etag !== undefined) reply.header('etag', etag);
      reply.type('application/json; charset=utf-8');
      const { Top, After } = request.query;
      if (request.method === 'HEAD') return reply.send();
      if (Top === undefined)
        return reply.send(await startedArray(rows(readModels, { companyId, after: After }), reply.raw));
      const page = await firstPage(rows(readModels, { companyId, after: After, limit: Top + 1 }), Top);
      if (page.last !== undefined)
        reply.header('link', nextPage(`/v1.0/Company/${companyId}/Employee`, { Top, After: page.last }));
      return reply.send(page.json);
    },
  });
};

const rows = (readModels: ReadModelReader, wanted: OrderedRows): AsyncGenerator<PageTexts> =>
  withFirstInvitations(readModels, wanted.companyId, readOrderedRows(readModels, wanted));
