import {
  type DocumentWrite,
  eventData,
  invitationCollections,
  type HoldDocument,
  type LoadedEvent,
  LogCorrupt,
  type ProgressDocument,
  type TimerDocument,
} from '@rollcall/application/read';
import { invitations as domain } from '@rollcall/domain';
import { companyOf, toJson, type Projection } from '../projection.js';

const { progress, timers, due, holds } = invitationCollections;

/**
 * What happens to single invitations, and to those of a company as a whole; see `invitationCollections`. The plans, and the
 * entries of the due index that belong to them, come with the employees.
 *
 * The due index is written by two streams: an employee's entry comes with the company's event and moves with those of the
 * invitation. In the order of the log that is exact. Where a store without transactions, or a stream that is behind, has
 * another order for a while, an entry may be missing for as long, or be left over: then whoever finds it due looks into
 * the log, does nothing, or closes what is still open of one who has left.
 */
export const invitations: Projection = {
  InvitationRequested: async function* (event) {
    const { dueAt, replaces } = await eventData(event, 'InvitationRequested');
    const document = { ...untouched, state: 'requested', dueAt } as const;
    yield change(event, { document, keep: ['firstSentAt'] }, { from: replaces, to: dueAt });
  },
  InvitationSending: async function* (event) {
    const { dueAt, until, attempt, messageId } = await eventData(event, 'InvitationSending');
    const document = { ...untouched, state: 'sending', dueAt, attempts: attempt, messageId } as const;
    yield change(event, { document, keep: ['lastError', 'firstSentAt'] }, { from: dueAt, to: until });
  },
  InvitationSent: async function* (event) {
    const { dueAt, messageId, sentAt } = await eventData(event, 'InvitationSent');
    const document = { ...untouched, state: 'sent', dueAt, messageId, sentAt, firstSentAt: sentAt } as const;
    yield change(event, { document, keep: ['dueAt', 'attempts', 'firstSentAt'] }, { from: dueAt, to: null });
  },
  InvitationDeferred: async function* (event) {
    const { dueAt, nextAttemptAt, code, problem } = await eventData(event, 'InvitationDeferred');
    const lastError = { code, problem };
    const document = { ...untouched, state: 'deferred', dueAt: nextAttemptAt, lastError } as const;
    yield change(event, { document, keep: ofTheAttempt }, { from: dueAt, to: nextAttemptAt });
  },
  InvitationFailed: async function* (event) {
    const { dueAt, code, problem } = await eventData(event, 'InvitationFailed');
    const document = { ...untouched, state: 'failed', dueAt, lastError: { code, problem } } as const;
    yield change(event, { document, keep: ['dueAt', ...ofTheAttempt] }, { from: dueAt, to: null });
  },
  InvitationCancelled: async function* (event) {
    const { dueAt } = await eventData(event, 'InvitationCancelled');
    const document = { ...untouched, state: 'cancelled', dueAt } as const;
    const keep = ['dueAt', 'lastError', ...ofTheAttempt] as const;
    yield change(event, { document, keep }, { from: dueAt, to: null });
  },
  InvitationsHeld: async function* (event) {
    const { reason } = await eventData(event, 'InvitationsHeld');
    const { username, recordedAt: since } = event.metadata;
    const document: HoldDocument = { reason, username, since };
    yield [{ op: 'put', collection: holds, key: [companyOf(event)], json: toJson(document) }];
  },
  // eslint-disable-next-line @typescript-eslint/require-await -- the same shape as handlers that read
  InvitationsReleased: async function* (event) {
    yield [{ op: 'remove', collection: holds, key: [companyOf(event)] }];
  },
};

const untouched = { attempts: 0, messageId: null, lastError: null, sentAt: null };

type Kept = readonly (keyof ProgressDocument)[];
const ofTheAttempt = ['attempts', 'messageId', 'firstSentAt'] as const satisfies Kept;

interface Progressed {
  readonly document: ProgressDocument;
  /** What the stored document hands on. */
  readonly keep: Kept;
}

/** The document, and the entry of the due index from one moment to another; null is none. */
function change(
  event: LoadedEvent,
  { document, keep }: Progressed,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): readonly DocumentWrite[] {
  const { companyId, number } = placeOf(event);
  const key = [companyId, number] as const;
  const entry = (moment: string) => [companyId, msOf(event, moment), number] as const;
  const writes: DocumentWrite[] = [];
  if (from !== null) writes.push({ op: 'remove', collection: due, key: entry(from) });
  if (to === null) writes.push({ op: 'remove', collection: timers, key });
  else {
    const timer: TimerDocument = { due: msOf(event, to) };
    writes.push(
      { op: 'put', collection: timers, key, json: toJson(timer) },
      { op: 'put', collection: due, key: entry(to), json: toJson(key) },
    );
  }
  return [...writes, { op: 'put', collection: progress, key, json: toJson(document), keep }];
}

function placeOf(event: LoadedEvent): { readonly companyId: number; readonly number: number } {
  const place = domain.invitationOf(event.stream);
  if (place === undefined) throw new LogCorrupt(`${event.name} stands on the stream ${event.stream}`);
  return place;
}

function msOf({ stream, revision }: LoadedEvent, moment: string): number {
  const ms = Date.parse(moment);
  if (Number.isNaN(ms))
    throw new LogCorrupt(`the event at revision ${revision} of ${stream} tells no moment`);
  return ms;
}
