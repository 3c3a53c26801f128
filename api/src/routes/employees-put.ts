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
import type { Routes } from '../http/route-dependencies.js';
import { importRoute } from '../imports/import-endpoint.js';
import { importSchema } from '../imports/import-schema.js';

const schema = importSchema({
  tag: 'Employees',
  summary: 'Replaces all employees of the company, or rehearses it',
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
