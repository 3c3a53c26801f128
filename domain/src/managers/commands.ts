import type { Digester } from '../employees/digests.js';
import type { ManagerImportReading } from './read-import.js';

/** The command behind `PUT /v1.0/User/{companyId}/ManagerImport`. */
export interface ImportManagerRoles {
  readonly operationId: string;
  /** SHA-256 of the body as received (unpacked), hex. */
  readonly bodySha256: string;
  /** The body as read. */
  readonly reading: ManagerImportReading;
  readonly digester: Digester;
}
