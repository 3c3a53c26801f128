import type { PageApp } from '../frame/page-app.js';
import { Attention } from '../start/attention.js';
import { companyViews } from './companies.js';
import { employeeViews } from './employees.js';
import { importViews } from './imports.js';
import { invitationViews } from './invitations.js';
import { processesRoute } from './processes.js';
import { searchView } from './search.js';
import { startView } from './start.js';
import { uploadRoutes } from './upload.js';

const views: readonly ((page: PageApp, attention: Attention) => void)[] = [
  startView,
  importViews,
  companyViews,
  employeeViews,
  invitationViews,
  searchView,
  uploadRoutes,
  processesRoute,
];

export function registerViews(page: PageApp): void {
  const attention = new Attention(page.kit);
  for (const register of views) register(page, attention);
}
