import {
  pendingImportsCollection as collection,
  type PendingImportDocument,
} from '@rollcall/application/read';
import type { DocumentChange } from '../document-changes.js';
import { companyOf, removed, replaced, type Projection, type ReadEvent } from '../projection.js';

/** An import that was carried out: by the operation that was queued, or by one that never was. */
const ownEnd = (event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>): readonly DocumentChange[] => [
  removed([companyOf(event), event.metadata.operationId]),
];

/**
 * `pending-imports` [companyId, operationId] -> `PendingImportDocument`: every import that is queued and has no terminal
 * event. `revision` gives their order; that of their keys is only nearly the same.
 */
export const pendingImports: Projection = {
  collection,
  changes: {
    ImportQueued: (event) => {
      const { operationId, kind, method, elements } = event.data;
      const { userId, username, recordedAt: queuedAt } = event.metadata;
      const [companyId, { revision }] = [companyOf(event), event];
      const caller = { userId, username, queuedAt };
      const document: PendingImportDocument = {
        operationId,
        companyId,
        kind,
        revision,
        method,
        ...caller,
        elements,
      };
      return [replaced([companyId, operationId], document)];
    },
    EmployeeSetReplaced: ownEnd,
    EmployeeSetConfirmed: ownEnd,
    ManagerRolesImported: ownEnd,
    ManagerRolesConfirmed: ownEnd,
    ImportFailed: (event) => [removed([companyOf(event), event.data.operationId])],
    // Its own operation is the command that cancelled.
    ImportCancelled: (event) => [removed([companyOf(event), event.data.operationId])],
  },
};
