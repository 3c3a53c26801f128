import {
  pendingImportsCollection as collection,
  type PendingImportDocument,
} from '@rollcall/application/read';
import type { DocumentChange } from '../document-changes.js';
import { companyOf, removed, replaced, type Projection, type ReadEvent } from '../projection.js';

/** By the queued operation, or by one that was never queued. */
const ownEnd = (event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>): readonly DocumentChange[] => [
  removed([companyOf(event), event.metadata.operationId]),
];

/** `pending-imports` [companyId, operationId]: queued imports without a terminal event, ordered by `revision`. */
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
    // Its own operation is the cancelling command.
    ImportCancelled: (event) => [removed([companyOf(event), event.data.operationId])],
  },
};
