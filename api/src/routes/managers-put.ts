import {
  ManagerDryRunResult,
  managerErrorExample,
  ManagerImportBody,
  managerImportExample,
  managerResultExample,
  ManagersPutQuery,
} from '@rollcall/contracts';
import { Type } from 'typebox';
import type { Routes } from '../http/route-dependencies.js';
import { importRoute } from '../imports/import-endpoint.js';
import { importSchema } from '../imports/import-schema.js';

const ResultText = Type.String({
  description: 'Tells the roles created, the roles disabled and the users locked.',
});

const schema = importSchema({
  tag: 'Managers',
  summary: 'Replaces all manager roles of the company, or rehearses it',
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
