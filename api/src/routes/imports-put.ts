import {
  DryRunResult,
  EmployeesBody,
  employeesExample,
  EmployeesPutQuery,
  ImportErrors,
  type ImportKind,
  importErrorsExample,
  ImportResult,
  importResultExample,
  ManagerDryRunResult,
  managerErrorExample,
  ManagerImportBody,
  managerImportExample,
  managerResultExample,
  ManagersPutQuery,
  CompanyPath,
  queuedResultExample,
} from '@rollcall/contracts';
import { Type, type TObject, type TSchema } from 'typebox';
import type { Routes } from '../route-dependencies.js';
import { importRoute } from '../imports/import-endpoint.js';
import { ImportHeaders, previewHeaders, queuedHeaders, replayedHeaders } from '../http/header-schemas.js';
import { described, errorResponses, jsonResponse } from '../http/responses.js';

interface Documented {
  readonly schema: TSchema;
  readonly example: unknown;
}

interface ImportDocumentation {
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly querystring: TObject;
  readonly body: Documented;
  readonly done: Documented;
  readonly refused: Documented;
}

/** The schema of an import's route: what both imports have in common, with its answers. */
const importSchema = (endpoint: ImportDocumentation) => {
  const { tag, operationId, summary, description, querystring, body, done, refused } = endpoint;
  const carriedOut = 'Carried out, or with dryRun=true rehearsed; Details also as text/csv';
  return {
    tags: [tag],
    operationId,
    summary,
    description,
    params: CompanyPath,
    querystring,
    headers: ImportHeaders,
    body: described(body.schema, body.example),
    response: {
      200: jsonResponse(carriedOut, done.schema, done.example, { ...replayedHeaders, ...previewHeaders }),
      202: jsonResponse('Queued; it runs in its turn', ImportResult, queuedResultExample, queuedHeaders),
      ...errorResponses(401, 408, 409, 412, 413, 415, 422, 429, 500, 503),
      400: jsonResponse('Refused; nothing changed', refused.schema, refused.example),
    },
  };
};

interface ImportPut {
  readonly kind: ImportKind;
  readonly url: string;
  readonly limit: 'employeeBodyLimit' | 'managerBodyLimit';
  readonly schema: ReturnType<typeof importSchema>;
}

const importPut =
  ({ kind, url, limit, schema }: ImportPut): Routes =>
  (app, kit) => {
    app.route({
      method: 'PUT',
      url,
      onRequest: kit.guards.hrIntegration,
      schema,
      ...importRoute({ kind, url, bodyLimit: kit.config[limit] }, kit),
    });
  };

const employeesSchema = importSchema({
  tag: 'Employees',
  operationId: 'replaceEmployees',
  summary: 'Replace all employees of the company',
  description: [
    'Who is not in the list is removed. Rehearse with `dryRun=true`: it answers with the counts and the ids of those who would come, change and leave, at most 1,000 of each, and writes nothing.',
    'The array is the whole set: who is present and in it gets the values sent, who is new is added and invited, who is present and not in it is removed. A repeat changes nothing. Where anything in the list is wrong, nothing is done.',
    '202: it was queued and runs in its turn; follow it at `Location`. That happens to large lists, while another import of the company is pending, and with `Prefer: respond-async`. To replace only what you have read, send its `ETag` as `If-Match`; to be able to send a call again safely, give it an `Idempotency-Key`. Needs the role HRIntegration.',
  ].join('\n\n'),
  querystring: EmployeesPutQuery,
  body: { schema: EmployeesBody, example: employeesExample },
  done: { schema: Type.Union([ImportResult, DryRunResult]), example: importResultExample },
  refused: { schema: ImportErrors, example: importErrorsExample },
});

/** `PUT /v1.0/Company/{companyId}/Employee` (interface.md, "Replace the employees of a company"). */
export const employeesPutRoutes = importPut({
  kind: 'employees',
  url: '/v1.0/Company/:companyId/Employee',
  limit: 'employeeBodyLimit',
  schema: employeesSchema,
});

const ResultText = Type.String({
  title: 'ManagerImportText',
  description: 'Tells the roles created, the roles disabled and the users locked.',
});

const managersSchema = importSchema({
  tag: 'Managers',
  operationId: 'replaceManagers',
  summary: 'Replace all manager roles of the company',
  description: [
    'Who is not in the list loses the role. Rehearse with `dryRun=true`: it answers with the counts and with the users who would be locked and unlocked, and writes nothing.',
    'Roles in the request are created or kept enabled; others are disabled; users who are left without a role are locked; locked users who are sent are unlocked; missing departments are created.',
    '202: it was queued and runs in its turn; follow it at `Location`. That happens to 200 roles and more, while one of managers, one of the same user or a held one is pending, and with `Prefer: respond-async`. Needs the role HRIntegration.',
  ].join('\n\n'),
  querystring: ManagersPutQuery,
  body: { schema: ManagerImportBody, example: managerImportExample },
  done: { schema: Type.Union([ResultText, ManagerDryRunResult]), example: managerResultExample },
  refused: {
    schema: Type.String({ description: 'All problems, joined by "; ".' }),
    example: managerErrorExample,
  },
});

/** `PUT /v1.0/User/{companyId}/ManagerImport` (interface.md, "Import manager roles"). */
export const managersPutRoutes = importPut({
  kind: 'managers',
  url: '/v1.0/User/:companyId/ManagerImport',
  limit: 'managerBodyLimit',
  schema: managersSchema,
});
