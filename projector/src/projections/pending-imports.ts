import {
  eventData,
  pendingImportsCollection as collection,
  type DocumentWrite,
  type LoadedEvent,
  type PendingImportDocument,
} from '@rollcall/application/read';
import { companyOf, toJson, type Projection } from '../projection.js';

/**
 * `pending-imports` [companyId, operationId] -> `PendingImportDocument`: every import that is queued and has no terminal
 * event. `revision` gives their order; that of their keys is only nearly the same.
 */
export const pendingImports: Projection = {
  ImportQueued: async function* (event) {
    const { operationId, kind, method, elements } = await eventData(event, 'ImportQueued');
    const { userId, username, recordedAt } = event.metadata;
    const companyId = companyOf(event);
    const document: PendingImportDocument = {
      operationId,
      companyId,
      kind,
      revision: event.revision,
      method,
      userId,
      username,
      queuedAt: recordedAt,
      elements,
    };
    yield [{ op: 'put', collection, key: [companyId, operationId], json: toJson(document) }];
  },
  EmployeeSetReplaced: ownEnd,
  EmployeeSetConfirmed: ownEnd,
  ManagerRolesImported: ownEnd,
  ManagerRolesConfirmed: ownEnd,
  ImportFailed: async function* (event) {
    yield [remove(event, (await eventData(event, 'ImportFailed')).operationId)];
  },
  // Its own operation is the command that cancelled.
  ImportCancelled: async function* (event) {
    yield [remove(event, (await eventData(event, 'ImportCancelled')).operationId)];
  },
};

/** An import that was carried out: by the operation that was queued, or by one that never was. */
// eslint-disable-next-line @typescript-eslint/require-await -- the same shape as handlers that read
async function* ownEnd(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  yield [remove(event, event.metadata.operationId)];
}

const remove = (event: LoadedEvent, operationId: string): DocumentWrite => ({
  op: 'remove',
  collection,
  key: [companyOf(event), operationId],
});
