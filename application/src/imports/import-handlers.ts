import type { ImportKind } from '@rollcall/contracts';
import { EmployeeImport } from './employee-import.js';
import { ManagerImport } from './manager-import.js';
import type { HandlerDeps } from './import-deps.js';
import type { ImportCall, ImportHandler } from './import-handler.js';

export const importHandlers: Record<ImportKind, (call: ImportCall, deps: HandlerDeps) => ImportHandler> = {
  employees: (call, deps) => new EmployeeImport(call, deps),
  managers: (call, { digester }) => new ManagerImport(call, digester),
};
