import {
  DryRunResult,
  EmployeesBody,
  employeesExample,
  EmployeesPutQuery,
  ImportErrors,
  importErrorsExample,
  ImportResult,
  importResultExample,
} from '@rollcall/contracts';
import { Type } from 'typebox';
import type { Routes } from '../route-dependencies.js';
import { importRoute } from '../imports/import-endpoint.js';
import { importSchema } from '../imports/import-schema.js';

const schema = importSchema({
  tag: 'Employees',
  operationId: 'replaceEmployees',
  summary: 'Replace all employees of the company',
  description: [
    'Who is not in the list is removed. Rehearse with `dryRun=true`: it answers with the counts and the ids of everyone who would come, change and leave, and writes nothing.',
    'The array is the whole set: who is present and in it gets the values sent, who is new is added and invited, who is present and not in it is removed. A repeat changes nothing. Where anything in the list is wrong, nothing is done.',
    '202: it was queued and runs in its turn; follow it at `Location`. That happens to large lists, while another import of the company is pending, and with `Prefer: respond-async`. To replace only what you have read, send its `ETag` as `If-Match`; to be able to send a call again safely, give it an `Idempotency-Key`. Needs the role HRIntegration.',
  ].join('\n\n'),
  querystring: EmployeesPutQuery,
  body: { schema: EmployeesBody, example: employeesExample },
  done: { schema: Type.Union([ImportResult, DryRunResult]), example: importResultExample },
  refused: { schema: ImportErrors, example: importErrorsExample },
});

/** `PUT /v1.0/Company/{companyId}/Employee` (interface.md, "Replace the employees of a company"). */
export const employeesPutRoutes: Routes = (app, kit) => {
  const { guards, config } = kit;
  const pathOf = (companyId: number): string => `/v1.0/Company/${companyId}/Employee`;
  app.route({
    method: 'PUT',
    url: '/v1.0/Company/:companyId/Employee',
    onRequest: guards.hrIntegration,
    schema,
    ...importRoute({ kind: 'employees', pathOf, bodyLimit: config.employeeBodyLimit }, kit),
  });
};
