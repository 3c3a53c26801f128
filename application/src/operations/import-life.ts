import { type ImportQueued, undoMethod } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { originOf, type AuditFields, type Origin } from '../audit/audit-row.js';
import { factsOf } from '../audit/event-facts.js';
import { asBuffer, eventId, recordedAtOf } from '../event-store/linked-events.js';
import { loadEvent } from '../event-store/loaded-event.js';
import { eventAt } from '../event-store/log-reading.js';
import { operationOf } from '../imports/terminal-events.js';
import type { EventReader, Position, RecordedEvent } from '../ports/event-log.js';
import type { SavedStatesReader } from '../event-store/saved-states.js';
import { noticeType } from '../webhooks/notification.js';
import { readWebhooks, webhooksPrefix } from '../webhooks/webhooks.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { calledAt, callRowIn } from '../read-models/call-row.js';
import { apiCallsCollection } from '../read-models/documents.js';
import { idFrom, type ListedImport, maxLooked as maxCalls } from './import-list.js';

export interface LifeEvent {
  readonly type: string;
  readonly by: Origin;
  readonly reason: string | undefined;
  /** In short, without personal values. */
  readonly facts: AuditFields;
}

export interface ImportLife {
  /** By time: of the company's stream and the operation's. */
  readonly events: readonly LifeEvent[];
  /** How it was queued; undefined where it was carried out at once. */
  readonly queued: ImportQueued | undefined;
  /** The body is kept: the import can be tried again. */
  readonly hasBody: boolean;
  /** Other imports that name this one, such as its repetition. */
  readonly followed: readonly LifeEvent[];
  /** The operation that has taken it back, where that was not taken back itself. */
  readonly undoneBy: string | undefined;
  readonly webhooks: readonly { readonly url: string; readonly isDelivered: boolean }[];
}

/** Events of the company's stream that are looked at behind the import's call, and on each side of its end. */
const maxLooked = 500;
const maxAttempts = 200;
const skewMs = 60 * 60_000;

type Reader = SavedStatesReader & { readonly readModels: Pick<ReadModelReader, 'find'> };

/** What happened to one import, from events near its call and its end. A bounded part of the log is read. */
export async function importLife(reader: Reader, one: ListedImport): Promise<ImportLife> {
  const { log } = reader;
  const { operationId } = one;
  const isRefused = one.state === 'refused';
  const all = isRefused ? [] : await ownEvents(log, one);
  const queued = all.find(({ recorded }) => recorded.type.startsWith('ImportQueued'));
  for await (const attempt of log.readStream(`operation-${operationId}`, { limit: maxAttempts }))
    all.push(await readEvent(log, attempt));
  return {
    events: all.sort(byTime).map(({ event }) => event),
    queued: queued && (await loadEvent(log, queued.recorded).data('ImportQueued')),
    hasBody: (await log.readLast(`payload-${operationId}`)) !== undefined,
    followed: isRefused ? [] : await followers(log, one),
    undoneBy: isRefused ? undefined : await undoOf(reader, one),
    webhooks: isRefused ? [] : await webhooksOf(reader, one, all),
  };
}

const byTime = ({ event: one }: Read, { event: other }: Read): number =>
  Date.parse(one.by.recordedAt) - Date.parse(other.by.recordedAt);

interface Read {
  readonly recorded: RecordedEvent;
  readonly event: LifeEvent;
}

async function readEvent(log: EventReader, recorded: RecordedEvent): Promise<Read> {
  const loaded = loadEvent(log, recorded);
  const facts = await factsOf(loaded);
  const event = { type: loaded.name, by: originOf(loaded), reason: loaded.metadata.reason, facts };
  return { recorded, event };
}

/** From the end, or the newest event, back to the first: `ImportQueued`, or the end of an import that was never queued. */
async function ownEvents(log: EventReader, one: ListedImport): Promise<Read[]> {
  const { operationId } = one;
  const stream = `company-${one.companyId}`;
  const own: Read[] = [];
  for await (const recorded of eventsBack(log, stream, one)) {
    if (operationOf(recorded.metadata) !== operationId && !names(recorded, operationId)) continue;
    own.push(await readEvent(log, recorded));
    if (recorded.id === eventId(operationId, stream, 0)) break;
  }
  return own.reverse();
}

/** The events before its end, then those after its call, which a binary search by time finds. */
async function* eventsBack(log: EventReader, stream: string, { operationId, revision }: ListedImport) {
  yield* log.readStream(stream, { from: revision, backwards: true, limit: maxLooked });
  const before = revision - maxLooked;
  let [first, last] = [0, before];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const event = await eventAt(log, stream, middle);
    if (event && (recordedAtOf(event) ?? 0) < calledAt(operationId)) first = middle + 1;
    else last = middle;
  }
  const from = Math.min(first + maxLooked - 1, before);
  if (from >= 0) yield* log.readStream(stream, { from, backwards: true, limit: maxLooked });
}

/** As a command that cancels it, or decides on it. */
const names = ({ type, data }: RecordedEvent, operationId: string): boolean =>
  type.startsWith('Import') && Buffer.from(data).includes(operationId);

async function followers(log: EventReader, one: ListedImport): Promise<readonly LifeEvent[]> {
  const { companyId, operationId, revision } = one;
  const behind = { from: revision + 1, limit: maxLooked };
  const followed: LifeEvent[] = [];
  for await (const recorded of log.readStream(`company-${companyId}`, behind))
    if (names(recorded, operationId) && operationOf(recorded.metadata) !== operationId)
      followed.push((await readEvent(log, recorded)).event);
  return followed;
}

/** By the rows of later calls: an old import may be taken back today. */
async function undoOf({ log, readModels }: Reader, one: ListedImport): Promise<string | undefined> {
  const { companyId, operationId } = one;
  const undos = [operationId];
  // Another host's clock may be behind.
  const after = [companyId, idFrom(calledAt(operationId) - skewMs)] as const;
  const behind = { prefix: [companyId], after, limit: maxCalls };
  for await (const { key, revision, value } of readModels.find(apiCallsCollection, behind)) {
    if (!asBuffer(value).includes(undoMethod(''))) continue;
    const { Method } = callRowIn(value);
    // An undo of an earlier one makes those behind that one void.
    const undone = undos.findIndex((id) => Method === undoMethod(id));
    if (undone === -1) continue;
    const end = await eventAt(log, `company-${companyId}`, revision);
    // Of a confirmation: the undo has found nothing to do.
    if (!end?.type.includes('Confirmed')) undos.splice(undone + 1, undos.length, String(key[1]));
  }
  return undos.length % 2 === 0 ? undos.at(-1) : undefined;
}

async function webhooksOf(reader: Reader, { companyId, revision }: ListedImport, events: readonly Read[]) {
  const asked = events.map(({ recorded }) => noticeType(recorded));
  const state = await readWebhooks(reader, companyId);
  const end = await positionOf(reader, { stream: `company-${companyId}`, revision });
  const found: { readonly url: string; readonly isDelivered: boolean }[] = [];
  for (const { url, types, delivered } of state.webhooks.values()) {
    if (webhooks.addressOf({ url }) || !types.some((type) => asked.includes(type))) continue;
    const isDelivered = (await positionOf(reader, delivered)) >= end;
    // One that was added later gets nothing of the import.
    if (!isDelivered || !delivered?.stream.startsWith(webhooksPrefix)) found.push({ url, isDelivered });
  }
  return found;
}

const positionOf = async ({ log }: Reader, at: webhooks.EventPlace | null): Promise<Position> =>
  (at && (await eventAt(log, at.stream, at.revision)))?.position ?? 0n;
