import {
  ManagerDryRunResult,
  managerErrorExample,
  ManagerImportBody,
  managerImportExample,
  managerResultExample,
  ManagersPutQuery,
} from '@rollcall/contracts';
import { Type } from 'typebox';
import type { Routes } from '../route-dependencies.js';
import { importRoute } from '../imports/import-endpoint.js';
import { importSchema } from '../imports/import-schema.js';

const ResultText = Type.String({
  title: 'ManagerImportText',
  description: 'Tells the roles created, the roles disabled and the users locked.',
});

const schema = importSchema({
  tag: 'Managers',
  operationId: 'replaceManagers',
  summary: 'Replace all manager roles of the company',
  description: [
    'Who is not in the list loses the role. Rehearse with `dryRun=true`: it answers with the counts and with the users who would be locked and unlocked, and writes nothing.',
    'Roles in the request are created or kept enabled; others are disabled; users who are left without a role are locked; locked users who are sent are unlocked; missing departments are created.',
    '202: it was queued and runs in its turn; follow it at `Location`. That happens to 200 roles and more, while an import of the company is pending, and with `Prefer: respond-async`. Needs the role HRIntegration.',
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
export const managersPutRoutes: Routes = (app, kit) => {
  const { guards, config } = kit;
  const pathOf = (companyId: number): string => `/v1.0/User/${companyId}/ManagerImport`;
  app.route({
    method: 'PUT',
    url: '/v1.0/User/:companyId/ManagerImport',
    onRequest: guards.hrIntegration,
    schema,
    ...importRoute({ kind: 'managers', pathOf, bodyLimit: config.managerBodyLimit }, kit),
  });
};
