import type { Digester } from '@rollcall/employee-lists';
import type { ManagerImportReading } from './read-import.js';

export interface ImportManagerRoles {
  readonly operationId: string;
  /** Of the unpacked body, hex. */
  readonly bodySha256: string;
  readonly reading: ManagerImportReading;
  readonly digester: Digester;
}
