/** What has happened since the last `InvitationRequested`, or at all. */
interface Progress {
  /** 1, and one more with each request. */
  readonly round: number;
  /** Claims of the round. */
  readonly attempt: number;
  /** Null before the first claim of the round; so is `startedAt`, the moment of that claim. */
  readonly messageId: string | null;
  readonly startedAt: string | null;
  /** When to look at it next; where it has ended, the moment under which it stood last. */
  readonly dueAt: string;
  /** Message-IDs that a mail server accepted, of all rounds. */
  readonly sent: readonly string[];
}

/** State of `invitation-{companyId}-{number}`. */
export type InvitationState =
  /** Nothing happened yet: whether and when it is due stands in the company's stream. */
  | { readonly status: 'planned' }
  | ({ readonly status: 'requested' | 'deferred' } & Progress)
  /** A claim: `dueAt` is its `until`. */
  | ({ readonly status: 'sending' } & Progress)
  | ({ readonly status: 'sent' | 'failed' | 'cancelled' } & Progress);

export type InvitationProgress = Exclude<InvitationState, { readonly status: 'planned' }>;

export const initialState = (): InvitationState => ({ status: 'planned' });

/** The stream of an employee's invitation. */
export const invitationStream = (companyId: number, number: number): string =>
  `invitation-${companyId}-${number}`;

const streamForm = /^invitation-([1-9]\d{0,15})-([1-9]\d{0,15})$/;

/** Whose invitation a stream is; undefined where it is none. */
export function invitationOf(stream: string): { companyId: number; number: number } | undefined {
  const [, companyId, number] = streamForm.exec(stream) ?? [];
  return number === undefined ? undefined : { companyId: Number(companyId), number: Number(number) };
}

/** The moment at which the invitation is to be looked at next; null where it never is. */
export function wakeMoment(state: InvitationState, plannedDueAt: string | null): string | null {
  switch (state.status) {
    case 'planned':
      return plannedDueAt;
    case 'requested':
    case 'sending':
    case 'deferred':
      return state.dueAt;
    case 'sent':
    case 'failed':
    case 'cancelled':
      return null;
    default:
      return state satisfies never;
  }
}
