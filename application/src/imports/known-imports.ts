import { apiCallsCollection } from '../read-models/documents.js';
import type { EventName } from '@rollcall/contracts';
import { payloadStream, type ImportStatus, type KnownImport } from '@rollcall/domain';
import { isCommandOnImport, operationOf } from './terminal-events.js';
import { eventData, loadEvent, storedMetadata } from '../event-store/loaded-event.js';
import type { EventReader, StreamAdmin } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';

const companyPrefix = 'company-';

const statuses: { readonly [N in EventName]?: ImportStatus } = {
  ImportQueued: 'pending',
  EmployeeSetReplaced: 'done',
  EmployeeSetConfirmed: 'done',
  ManagerRolesImported: 'done',
  ManagerRolesConfirmed: 'done',
  ImportFailed: 'failed',
  ImportCancelled: 'cancelled',
  ImportRejected: 'rejected',
};

interface FindCompanyDeps {
  readonly log: EventReader & StreamAdmin;
  readonly readModels: Pick<ReadModelReader, 'getMany'>;
}

export async function companyOfOperation(
  { log, readModels }: FindCompanyDeps,
  operationId: string,
): Promise<number | undefined> {
  for (const stream of [payloadStream(operationId), `operation-${operationId}`])
    for await (const first of log.readStream(stream, { limit: 1 }))
      return storedMetadata(first).companyId ?? undefined;
  // An import that was carried out at once, or whose payload is deleted, has left only its row.
  const companies = await companyIds(log);
  const known = await readModels.getMany(
    apiCallsCollection,
    companies.map((companyId) => [companyId, operationId] as const),
    (row) => row !== undefined,
  );
  return companies.find((_, index) => known[index]);
}

/** All companies with a stream, by rising id. */
export async function companyIds(log: StreamAdmin): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const { stream } of log.listStreams(companyPrefix))
    ids.push(Number(stream.slice(companyPrefix.length)));
  return ids.sort((one, other) => one - other);
}

/** Undefined where the import was never queued. */
export async function knownImport(
  log: EventReader,
  companyId: number,
  operationId: string,
): Promise<KnownImport | undefined> {
  let status: ImportStatus = 'pending';
  for await (const recorded of log.readStream(`${companyPrefix}${companyId}`, { backwards: true })) {
    const event = loadEvent(log, recorded);
    const of = isCommandOnImport(event.name) ? operationOf(recorded.data) : event.metadata.operationId;
    if (of !== operationId) continue;
    if (event.name === 'ImportQueued')
      return { queued: await eventData(event, 'ImportQueued'), revision: event.revision, status };
    status = statuses[event.name] ?? status;
  }
  return undefined;
}
