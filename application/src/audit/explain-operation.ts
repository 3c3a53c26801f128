import type { HistoryOptions } from './employee-history.js';
import type { EventMetadata, EventName, ImportHeld, ImportQueued } from '@rollcall/contracts';
import { afterGivenUp, type CompanyState, initialCompanyState, queues, thresholdOf } from '@rollcall/domain';
import { queueSteps } from '../companies/company-state-cache.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { eventAt } from '../event-store/log-reading.js';
import { endedOperation } from '../imports/terminal-events.js';
import type { EventReader, EventSubscriber } from '../ports/event-log.js';
import { originOf, type AuditFields, type Origin } from './audit-row.js';
import { entryOf, NumberSet, visitEntries } from './employee-entries.js';
import { factsOf } from './event-facts.js';
import { allEvents } from './log-events.js';

export interface ExplainedEvent {
  /** `did`: the operation's own; `followed`: another operation that it led to. */
  readonly role: 'did' | 'followed';
  readonly type: EventName;
  readonly by: Origin;
  readonly facts: AuditFields;
  /** In words, where the event alone does not tell it. */
  readonly why?: string;
}

const dueMark = Buffer.from(',"invitationDue":"');

/** The invitations of the employees whom an operation has added; see every event in the order of the log. */
class PlannedMails {
  readonly #planned = new NumberSet();
  readonly #newest = new Map<number, string>();
  #stream: string | undefined;
  #count = 0;

  async plan(event: LoadedEvent): Promise<void> {
    if (event.name !== 'EmployeeSetReplaced') return;
    const by = originOf(event);
    this.#stream = event.stream.replace('company', 'invitation');
    const entries = visitEntries(event, (kind, bytes, start, end) => {
      if (kind !== 'added' || !bytes.subarray(start, Math.min(end, start + 300)).includes(dueMark)) return;
      this.#planned.add(entryOf(kind, { bytes, start, end }, by, false).number);
      this.#count += 1;
    });
    while ((await entries.next()).done !== true);
  }

  see({ stream, name }: LoadedEvent): void {
    if (this.#stream === undefined || !stream.startsWith(`${this.#stream}-`)) return;
    const number = Number(stream.slice(this.#stream.length + 1));
    if (this.#planned.has(number)) this.#newest.set(number, name);
  }

  counts(): Record<string, number> {
    const counts = new Map<string, number>();
    const planned = this.#count - this.#newest.size;
    if (planned > 0) counts.set('planned', planned);
    for (const name of this.#newest.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return Object.fromEntries(counts);
  }
}

/** What one call or command did, why, and what followed. Reads the whole log once; undefined where it has no such operation. */
export async function explainOperation(
  log: EventReader & EventSubscriber,
  operationId: string,
  { reveal = false, onRead }: HistoryOptions = {},
) {
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
  // `invitations`: of the employees whom the operation has added, by their newest event; `planned` for those without one.
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
  return `Queued: ${queueReason(queued, event, await stateBefore(log, event))}.`;
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

/** The company's queue and settings before the event. */
async function stateBefore(log: EventReader, { stream, revision }: LoadedEvent): Promise<CompanyState> {
  let state = initialCompanyState();
  for await (const recorded of log.readStream(stream, { limit: revision })) {
    const event = loadEvent(log, recorded);
    const step = queueSteps[event.name]?.(state, event);
    state = (await step) ?? afterGivenUp(state, endedOperation(recorded) ?? '');
  }
  return state;
}

/** No event names the size from which bodies are queued, or what the caller preferred. */
function queueReason(
  { kind, elements, payload }: ImportQueued,
  { metadata: context }: LoadedEvent,
  { settings, pending }: CompanyState,
): string {
  const threshold = settings.status === 'configured' && thresholdOf(kind, settings.settings);
  if (threshold && elements >= threshold)
    return `it has ${elements} elements, and ${threshold} or more are queued`;
  const before = pending.find((each) => queues(each, { kind, context }));
  if (before) return `the import ${before.operationId} was pending, and imports run in order`;
  const large = kind === 'employees' ? ` its body of ${payload.bytes} bytes is large,` : '';
  return `the caller asked for it,${large} or other calls of the company kept coming first`;
}
