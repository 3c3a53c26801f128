import {
  fromJson,
  pendingImportsCollection as collection,
  type PendingImportDocument,
  type ShownHold,
  toJson,
} from '@rollcall/application/read';
import type { DocumentChange } from '../document-changes.js';
import { companyOf, removed, replaced, type Projection, type ReadEvent } from '../projection.js';

/** By the queued operation, or by one that was never queued. */
const ownEnd = (event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>): readonly DocumentChange[] => [
  removed([companyOf(event), event.metadata.operationId]),
];

const withHold = (
  event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>,
  operationId: string,
  next: (before: ShownHold | undefined) => ShownHold | undefined,
): DocumentChange => ({
  key: [companyOf(event), operationId],
  evolve: (stored) => {
    if (stored === undefined) return undefined;
    const document = fromJson(stored) as PendingImportDocument;
    return { value: toJson({ ...document, hold: next(document.hold) }) };
  },
});

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
    // Its own operation is the command.
    ImportCancelled: (event) => [removed([companyOf(event), event.data.operationId])],
    ImportRejected: (event) => [removed([companyOf(event), event.data.operationId])],
    ImportHeld: (event) => {
      const { operationId, inserted, updated, removed, present, limit, outcome } = event.data;
      const hold = { inserted, updated, removed, present, limit, outcome, since: event.metadata.recordedAt };
      return [withHold(event, operationId, () => ({ ...hold, isApproved: false }))];
    },
    ImportApproved: (event) => [
      withHold(event, event.data.operationId, (hold) => hold && { ...hold, isApproved: true }),
    ],
  },
};
