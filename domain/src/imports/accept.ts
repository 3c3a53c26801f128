import type { CallContext, CompanySettings, ImportKind } from '@rollcall/contracts';
import type { CompanyState } from './company-state.js';
import type { KeptKey, PendingImport } from './pending.js';

/** Entries of `ManagerRoles` from which an import is queued (interface.md, "Import manager roles"). */
const managerQueueThreshold = 200;

/** What a look at the whole body gives. */
export type BodyReading<R> =
  | { readonly status: 'valid'; readonly elements: number }
  | { readonly status: 'invalid'; readonly rejection: R };

/** A call that asks for an import of either kind. */
export interface AcceptImport<R> {
  readonly kind: ImportKind;
  readonly context: CallContext;
  /** `Prefer: respond-async`. */
  readonly prefersAsync: boolean;
  /** Revisions of the set, any of which will do; null for any at all. */
  readonly ifMatch: readonly number[] | null;
  /**
   * Checks the whole body. Asked only where the state does not settle the call already. With `atOnceBelow` elements or
   * more it will not be carried out now.
   */
  readonly read: (atOnceBelow: number) => BodyReading<R>;
}

export interface IntegrationNotAllowed {
  readonly reason: 'integration-not-allowed';
}

export type Acceptance<R> =
  /** The call was accepted before, under this Idempotency-Key. */
  | { readonly kind: 'replayed'; readonly key: KeptKey }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'precondition-failed'; readonly current: number | null }
  | { readonly kind: 'refused'; readonly rejection: R | IntegrationNotAllowed }
  | {
      readonly kind: 'queued';
      readonly elements: number;
      /** The revision that matched. */
      readonly ifMatch: number | null;
    }
  | { readonly kind: 'at-once' };

/**
 * Whether and how a call is accepted (docs/contract, "When queued", "Idempotency-Key", "If-Match"): its key first, then
 * If-Match, then integration, then the body, then the conditions under which it is queued.
 */
export function acceptImport<R>(command: AcceptImport<R>, state: CompanyState): Acceptance<R> {
  const known = knownKey(command.context, state);
  if (known) return known;
  const current = state.revisions[command.kind];
  const { ifMatch } = command;
  if (!matches(ifMatch, current)) return { kind: 'precondition-failed', current };
  const settings = integrationSettings(state);
  if (!settings) return { kind: 'refused', rejection: { reason: 'integration-not-allowed' } };
  const atOnceBelow = atOnceBelowOf(command, state, settings);
  const reading = command.read(atOnceBelow);
  if (reading.status === 'invalid') return { kind: 'refused', rejection: reading.rejection };
  const { elements } = reading;
  return elements < atOnceBelow
    ? { kind: 'at-once' }
    : { kind: 'queued', elements, ifMatch: ifMatch && current };
}

type KnownKey = Extract<Acceptance<never>, { kind: 'replayed' | 'key-reused' }>;

function knownKey({ idempotency, receivedAt }: CallContext, state: CompanyState): KnownKey | undefined {
  const key = idempotency && state.keys.get(idempotency.keyHash, Date.parse(receivedAt));
  if (!key) return undefined;
  return key.bodySha256 === idempotency.bodySha256 ? { kind: 'replayed', key } : { kind: 'key-reused' };
}

/** Whether If-Match lets a call pass. */
export const matches = (ifMatch: readonly number[] | null, current: number | null): boolean =>
  ifMatch === null || (current !== null && ifMatch.includes(current));

/** The settings of a company that may be imported into. */
export function integrationSettings({
  settings,
}: Pick<CompanyState, 'settings'>): CompanySettings | undefined {
  return settings.status === 'configured' && settings.settings.integrationEnabled
    ? settings.settings
    : undefined;
}

/** So many elements, or more, are queued; 0 where the call is queued whatever it holds. */
function atOnceBelowOf<R>(
  command: AcceptImport<R>,
  { pending }: CompanyState,
  settings: CompanySettings,
): number {
  if (command.prefersAsync || pending.some((each) => holdsBack(each, command))) return 0;
  return thresholdOf(command.kind, settings) ?? Number.POSITIVE_INFINITY;
}

function thresholdOf(kind: ImportKind, settings: CompanySettings): number | null {
  switch (kind) {
    case 'employees':
      return settings.queueThreshold;
    case 'managers':
      return managerQueueThreshold;
    default:
      return kind satisfies never;
  }
}

/**
 * Whether a pending import queues the call behind it. Any holds back employees. Managers wait behind managers, and behind
 * employees of the same API user.
 */
function holdsBack<R>(pending: PendingImport, { kind, context }: AcceptImport<R>): boolean {
  switch (kind) {
    case 'employees':
      return true;
    case 'managers':
      return pending.kind === 'managers' || isOfUser(pending, context.userId);
    default:
      return kind satisfies never;
  }
}

const isOfUser = ({ context }: PendingImport, userId: number | null): boolean =>
  userId !== null && context.userId === userId;
