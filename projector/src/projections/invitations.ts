import {
  dueIndexes,
  endedIndexes,
  invitationCollections,
  type HoldDocument,
  type InvitationEnding,
  LogCorrupt,
  type ProgressDocument,
} from '@rollcall/application/read';
import { invitations as domain } from '@rollcall/domain';
import { companyOf, keeping, removed, replaced, type Projection, type ReadEvent } from '../projection.js';
import { type DocumentChange } from '../document-changes.js';

type Place = Pick<ReadEvent, 'stream' | 'revision'>;

const untouched = { attempts: 0, messageId: null, lastError: null, sentAt: null };

type Kept = readonly (keyof ProgressDocument)[];
const ofTheAttempt = ['attempts', 'messageId', 'firstSentAt'] as const satisfies Kept;

/** Members that the event sets; the others start anew unless kept. */
type Said = Pick<ProgressDocument, 'state' | 'dueAt'> & Partial<Omit<ProgressDocument, 'due'>>;

/** Members that continue. `next`: when to look again. */
interface Progressed {
  readonly keep: Kept;
  readonly next: string | null;
  /** How it has ended, in the index `ended`. */
  readonly end?: InvitationEnding;
}

/**
 * `invitation-progress` [companyId, number]: events of single invitations; indexes `due` [companyId, moment] and `allDue` [moment] for
 * polls, and `ended` [companyId, sent or failed, -moment].
 */
export const invitationProgress: Projection = {
  collection: invitationCollections.progress,
  changes: {
    InvitationRequested: (event) => {
      const { dueAt } = event.data;
      return change(event, { state: 'requested', dueAt }, { keep: ['firstSentAt'], next: dueAt });
    },
    InvitationSending: (event) => {
      const { dueAt, until, attempt: attempts, messageId } = event.data;
      const said = { state: 'sending', dueAt, attempts, messageId } as const;
      return change(event, said, { keep: ['lastError', 'firstSentAt'], next: until });
    },
    InvitationSent: (event) => {
      const { dueAt, messageId, sentAt } = event.data;
      const said = { state: 'sent', dueAt, messageId, sentAt, firstSentAt: sentAt } as const;
      return change(event, said, { keep: ['dueAt', 'attempts', 'firstSentAt'], next: null, end: 'sent' });
    },
    InvitationDeferred: (event) => {
      const { nextAttemptAt: dueAt, code, problem } = event.data;
      const said = { state: 'deferred', dueAt, lastError: { code, problem } } as const;
      return change(event, said, { keep: ofTheAttempt, next: dueAt });
    },
    InvitationFailed: (event) => {
      const { dueAt, code, problem } = event.data;
      const failedAt = event.metadata.recordedAt;
      const said = { state: 'failed', dueAt, lastError: { code, problem }, failedAt } as const;
      return change(event, said, { keep: ['dueAt', ...ofTheAttempt], next: null, end: 'failed' });
    },
    InvitationCancelled: (event) => {
      const { dueAt, reason } = event.data;
      const said = { state: reason === domain.leftReason ? 'left' : 'cancelled', dueAt } as const;
      return change(event, said, { keep: ['dueAt', 'lastError', ...ofTheAttempt], next: null });
    },
  },
};

/** `invitation-holds` [companyId]: only while held. */
export const invitationHolds: Projection = {
  collection: invitationCollections.holds,
  changes: {
    InvitationsHeld: (event) => {
      const { username, recordedAt: since } = event.metadata;
      const document: HoldDocument = { reason: event.data.reason, username, since };
      return [replaced([companyOf(event)], document)];
    },
    InvitationsReleased: (event) => [removed([companyOf(event)])],
  },
};

function change(event: Place, said: Said, { keep, next, end }: Progressed): readonly DocumentChange[] {
  const { companyId, number } = placeOf(event);
  const due = next === null ? null : msOf(event, next);
  const document: ProgressDocument = { ...untouched, ...said, due };
  const indexed = {
    ...(due !== null && dueIndexes(companyId, due)),
    ...(end && endedIndexes(companyId, end, msOf(event, said.sentAt ?? said.failedAt ?? ''))),
  };
  return [keeping([companyId, number], document, keep, indexed)];
}

function placeOf({ stream, revision }: Place): { readonly companyId: number; readonly number: number } {
  const place = domain.invitationOf(stream);
  if (place === undefined)
    throw new LogCorrupt(`the event at revision ${revision} of ${stream} is of an invitation`);
  return place;
}

function msOf({ stream, revision }: Place, moment: string): number {
  const ms = Date.parse(moment);
  if (Number.isNaN(ms))
    throw new LogCorrupt(`the event at revision ${revision} of ${stream} tells no moment`);
  return ms;
}
