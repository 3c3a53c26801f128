import type { CallContext, CompanySettings, ImportKind } from '@rollcall/contracts';
import type { CompanyState } from './company-state.js';
import type { KeptKey, PendingImport } from './pending.js';

/** Entries of `ManagerRoles` from which an import is queued (interface.md, "Import manager roles"). */
const managerQueueThreshold = 200;

/** Of one company: so many imports may be pending (docs/contract, "Many pending imports"). */
export const mostPendingImports = 1_000;
/** And so many bytes of their bodies. */
const mostPendingBytes = 2 * 1024 ** 3;

/** A call that asks for an import of either kind. */
export interface AcceptImport {
  readonly kind: ImportKind;
  readonly context: CallContext;
  /** `Prefer: respond-async`. */
  readonly prefersAsync: boolean;
  readonly body: { readonly length: number };
  /** Revisions of the set, any of which will do; null for any at all. */
  readonly ifMatch: readonly number[] | null;
}

export type Acceptance =
  /** The call was accepted before, under this Idempotency-Key. */
  | { readonly kind: 'replayed'; readonly key: KeptKey }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'precondition-failed'; readonly current: number | null }
  | { readonly kind: 'integration-not-allowed' }
  /** It would be queued whatever it holds, and has no place. */
  | { readonly kind: 'queue-full' }
  /** It is up to the body, which is to be checked whole. */
  | AcceptedIfValid;

export interface AcceptedIfValid {
  readonly kind: 'accepted-if-valid';
  /** So many elements, or more, are queued; 0 where the call is queued whatever it holds. */
  readonly atOnceBelow: number;
  /** Whether it has a place in the queue. */
  readonly hasPlace: boolean;
  /** The revision that matched, for the import where it is queued. */
  readonly ifMatch: number | null;
}

/**
 * Whether and how a call is accepted, as far as the state tells (docs/contract, "When queued", "Idempotency-Key",
 * "If-Match"): its key first, then If-Match, then integration, then the body, then the conditions under which it is queued.
 */
export function acceptImport(command: AcceptImport, state: CompanyState): Acceptance {
  const known = knownKey(command.context, state);
  if (known) return known;
  const current = state.revisions[command.kind];
  const { ifMatch } = command;
  if (!matches(ifMatch, current)) return { kind: 'precondition-failed', current };
  const settings = integrationSettings(state);
  if (!settings) return { kind: 'integration-not-allowed' };
  const atOnceBelow = atOnceBelowOf(command, state, settings);
  const hasPlace = hasPlaceFor(command.body.length, state);
  if (!hasPlace && atOnceBelow === 0) return { kind: 'queue-full' };
  return { kind: 'accepted-if-valid', atOnceBelow, hasPlace, ifMatch: ifMatch && current };
}

function hasPlaceFor(bytes: number, { pending }: CompanyState): boolean {
  const pendingBytes = pending.reduce((sum, { payload }) => sum + payload.bytes, 0);
  return pending.length < mostPendingImports && pendingBytes + bytes <= mostPendingBytes;
}

/** Whether the call with a valid body of so many elements is queued; otherwise it is carried out at once. */
export const isQueued = ({ atOnceBelow }: AcceptedIfValid, elements: number): boolean =>
  elements >= atOnceBelow;

type KnownKey = Extract<Acceptance, { kind: 'replayed' | 'key-reused' }>;

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

function atOnceBelowOf(command: AcceptImport, { pending }: CompanyState, settings: CompanySettings): number {
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
function holdsBack(pending: PendingImport, { kind, context }: AcceptImport): boolean {
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
