import type {
  DomainEventOf,
  InvitationCancelled,
  InvitationRequested,
  InvitationSending,
  InvitationSent,
} from '@rollcall/contracts';

interface Progress {
  /** From 1; one more with each request. */
  readonly round: number;
  /** Claims of the round. */
  readonly attempt: number;
  /** Null before the round's first claim, as is `startedAt`. */
  readonly messageId: string | null;
  readonly startedAt: string | null;
  /** When to look again; once ended, the last such moment. */
  readonly dueAt: string;
  /** Accepted by a mail server, in all rounds. */
  readonly sent: readonly string[];
}

/** Of `invitation-{companyId}-{number}`. */
export type InvitationState =
  /** No event yet; the company's stream has the due moment. */
  | { readonly status: 'planned' }
  /** Left: begun, never sent, and waits until an undo brings the employee back. */
  | ({ readonly status: 'requested' | 'deferred' | 'left' } & Progress)
  /** A claim: `dueAt` is its `until`. */
  | ({ readonly status: 'sending' } & Progress)
  | EndedInvitation;

type EndedInvitation = { readonly status: 'sent' | 'failed' | 'cancelled' } & Progress;

type InvitationProgress = Exclude<InvitationState, { readonly status: 'planned' }>;

export const initialState = (): InvitationState => ({ status: 'planned' });

export const invitationStream = (companyId: number, number: number): string =>
  `invitation-${companyId}-${number}`;

const streamForm = /^invitation-([1-9]\d{0,15})-([1-9]\d{0,15})$/;

/** Undefined where the stream is no invitation's. */
export function invitationOf(stream: string): { companyId: number; number: number } | undefined {
  const [, companyId, number] = streamForm.exec(stream) ?? [];
  return number === undefined ? undefined : { companyId: Number(companyId), number: Number(number) };
}

export const isEnded = (state: InvitationState): state is EndedInvitation =>
  ['sent', 'failed', 'cancelled'].includes(state.status);

/** When to look at the invitation next, if its employee is present; null: never. */
export function wakeMoment(state: InvitationState, plannedDueAt: string | null): string | null {
  if (state.status === 'planned') return plannedDueAt;
  return isEnded(state) ? null : state.dueAt;
}

export const invitationEventNames = [
  'InvitationRequested',
  'InvitationSending',
  'InvitationSent',
  'InvitationDeferred',
  'InvitationFailed',
  'InvitationCancelled',
] as const;

export type InvitationEvent = DomainEventOf<(typeof invitationEventNames)[number]>;

/** Of a worker's `InvitationCancelled`; a person's reason is never the same. */
export const leftReason = 'The employee has left';

const untouched = { round: 1, attempt: 0, messageId: null, startedAt: null, sent: [] } as const;

const before = (state: InvitationState, dueAt: string): InvitationProgress =>
  state.status === 'planned' ? { status: 'requested', ...untouched, dueAt } : state;

function requested(state: InvitationState, { dueAt }: InvitationRequested): InvitationState {
  const { round, sent } = before(state, dueAt);
  return { status: 'requested', ...untouched, round: round + 1, sent, dueAt };
}

function sending(state: InvitationState, claim: InvitationSending): InvitationState {
  const { until, attempt, messageId, startedAt } = claim;
  return {
    ...before(state, claim.dueAt),
    status: 'sending',
    attempt,
    messageId,
    startedAt,
    dueAt: until,
  };
}

function sent(state: InvitationState, { dueAt, messageId }: InvitationSent): InvitationState {
  const known = before(state, dueAt);
  return { ...known, status: 'sent', dueAt, sent: [...known.sent, messageId] };
}

function cancelled(state: InvitationState, { dueAt, reason }: InvitationCancelled): InvitationState {
  const known = before(state, dueAt);
  return { ...known, status: reason === leftReason && known.sent.length === 0 ? 'left' : 'cancelled', dueAt };
}

export function evolve(state: InvitationState, event: InvitationEvent): InvitationState {
  switch (event.name) {
    case 'InvitationRequested':
      return requested(state, event.data);
    case 'InvitationSending':
      return sending(state, event.data);
    case 'InvitationSent':
      return sent(state, event.data);
    case 'InvitationDeferred': {
      const { dueAt, nextAttemptAt } = event.data;
      return { ...before(state, dueAt), status: 'deferred', dueAt: nextAttemptAt };
    }
    case 'InvitationFailed':
      return { ...before(state, event.data.dueAt), status: 'failed', dueAt: event.data.dueAt };
    case 'InvitationCancelled':
      return cancelled(state, event.data);
    default:
      return event satisfies never;
  }
}
