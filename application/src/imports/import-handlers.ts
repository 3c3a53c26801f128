import type { ImportKind } from '@rollcall/contracts';
import type { Digester } from '@rollcall/domain';
import { EmployeeImport } from './employee-import.js';
import { ManagerImport } from './manager-import.js';
import type { ImportCall, ImportHandler } from './import-handler.js';

/** How each kind of import is read and decided: all else is the same for both. */
export const importHandlers: Record<ImportKind, (call: ImportCall, digester: Digester) => ImportHandler> = {
  employees: (call, digester) => new EmployeeImport(call, digester),
  managers: (call, digester) => new ManagerImport(call, digester),
};
