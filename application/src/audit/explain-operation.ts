import type { HistoryOptions } from './employee-history.js';
import type {
  CompanySettings,
  EventMetadata,
  EventName,
  ImportHeld,
  ImportQueued,
} from '@rollcall/contracts';
import { defaultQueueBodyBytes, managerQueueThreshold } from '@rollcall/domain';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { eventAt } from '../event-store/log-reading.js';
import { endedOperation } from '../imports/terminal-events.js';
import type { EventReader, EventSubscriber } from '../ports/event-log.js';
import { originOf, type AuditFields, type Origin } from './audit-row.js';
import { factsOf } from './event-facts.js';
import { allEvents } from './log-events.js';
import { PlannedMails } from './planned-mails.js';

export interface ExplainedEvent {
  /** `did`: the operation's own; `followed`: another operation that it led to. */
  readonly role: 'did' | 'followed';
  readonly type: EventName;
  readonly by: Origin;
  readonly facts: AuditFields;
  /** In words, where the event alone does not tell it. */
  readonly why?: string;
}

interface Explanation {
  readonly operationId: string;
  readonly companyId: number | null;
  readonly receivedAt: string;
  readonly reason: string | undefined;
  readonly events: readonly ExplainedEvent[];
  /** Of the employees whom the operation has added: invitations by their newest event, `planned` for those without one. */
  readonly invitations: Readonly<Record<string, number>>;
}

/** What one call or command did, why, and what followed. Reads the whole log once; undefined where it has no such operation. */
export async function explainOperation(
  log: EventReader & EventSubscriber,
  operationId: string,
  { reveal = false, onRead }: HistoryOptions = {},
): Promise<Explanation | undefined> {
  const events: ExplainedEvent[] = [];
  const ids = new Set<string>();
  const mails = new PlannedMails();
  let call: EventMetadata | undefined;
  for await (const event of allEvents(log, onRead)) {
    mails.see(event);
    const role = await roleOf(event, operationId, ids);
    if (role === undefined) continue;
    ids.add(event.id);
    events.push(await explained(log, event, { role, reveal }));
    if (role === 'followed') continue;
    call ??= event.metadata;
    await mails.plan(event);
  }
  if (call === undefined) return undefined;
  const { companyId, receivedAt, reason } = call;
  return { operationId, companyId, receivedAt, reason, events, invitations: mails.counts() };
}

async function explained(
  log: EventReader,
  event: LoadedEvent,
  { role, reveal }: Pick<ExplainedEvent, 'role'> & { readonly reveal: boolean },
): Promise<ExplainedEvent> {
  const why = await whyOf(log, event);
  const facts = await factsOf(event, reveal);
  return { role, type: event.name, by: originOf(event), facts, ...(why === undefined ? {} : { why }) };
}

async function roleOf(
  event: LoadedEvent,
  operationId: string,
  ids: ReadonlySet<string>,
): Promise<ExplainedEvent['role'] | undefined> {
  if (event.metadata.operationId === operationId) return 'did';
  const isCaused = ids.has(event.metadata.causationId ?? '') || (await namedIn(event)) === operationId;
  return isCaused ? 'followed' : undefined;
}

/** The import that another operation has decided on, repeated or undone. */
async function namedIn(event: LoadedEvent): Promise<string | null> {
  const { name, metadata } = event;
  if (metadata.undoes !== undefined) return metadata.undoes;
  if (name === 'ImportCancelled' || name === 'ImportApproved' || name === 'ImportRejected')
    return (await event.data(name)).operationId;
  return name === 'ImportQueued' ? (await event.data(name)).retryOf : null;
}

async function whyOf(log: EventReader, event: LoadedEvent): Promise<string | undefined> {
  if (event.metadata.undoes !== undefined) return `It undoes the import ${event.metadata.undoes}.`;
  if (event.name === 'ImportHeld') return heldReason(await event.data('ImportHeld'));
  if (event.name !== 'ImportQueued') return undefined;
  const queued = await event.data('ImportQueued');
  if (queued.retryOf !== null) return `Queued: it repeats the import ${queued.retryOf}.`;
  if (await isHeldNext(log, event)) return 'Queued: it waits to be approved.';
  return `Queued: ${queueReason(queued, await standingBefore(log, event))}.`;
}

const heldReason = ({ inserted, removed, present, limit }: ImportHeld): string =>
  `Held: of ${present} employees present it would add ${inserted} and remove ${removed}, and ${limit} % is the batch limit.`;

/** Held when it came: both events are of one append. */
async function isHeldNext(log: EventReader, { stream, revision, metadata }: LoadedEvent): Promise<boolean> {
  const next = await eventAt(log, stream, revision + 1);
  if (next?.type !== 'ImportHeld') return false;
  const { recordedAt, operationId } = loadEvent(log, next).metadata;
  return operationId === metadata.operationId && recordedAt === metadata.recordedAt;
}

interface Standing {
  readonly settings: CompanySettings | undefined;
  /** The oldest pending import. */
  readonly pending: string | undefined;
}

/** What the company's stream said before the event. */
async function standingBefore(log: EventReader, { stream, revision }: LoadedEvent): Promise<Standing> {
  const pending = new Set<string>();
  let settings: CompanySettings | undefined;
  for await (const recorded of log.readStream(stream, { limit: revision })) {
    const event = loadEvent(log, recorded);
    if (event.name === 'CompanyConfigured') ({ settings } = await event.data('CompanyConfigured'));
    if (event.name === 'ImportQueued') pending.add(event.metadata.operationId);
    pending.delete(endedOperation(recorded) ?? '');
  }
  return { settings, pending: [...pending][0] };
}

function queueReason({ kind, elements, payload }: ImportQueued, { settings, pending }: Standing): string {
  const threshold = kind === 'managers' ? managerQueueThreshold : (settings?.queueThreshold ?? Infinity);
  if (elements >= threshold) return `it has ${elements} elements, and ${threshold} or more are queued`;
  if (kind === 'employees' && payload.bytes >= defaultQueueBodyBytes)
    return `its body has ${payload.bytes} bytes, and large bodies are queued`;
  if (pending !== undefined) return `the import ${pending} was pending, and imports run in order`;
  return 'the caller asked for it, or other calls of the company kept coming first';
}
