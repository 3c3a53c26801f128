import type { CallContext, CompanySettings, ImportKind, ImportPreview } from '@rollcall/contracts';
import { type CompanyState, isHeld } from './company-state.js';
import { maxKeptKeys } from './kept-keys.js';
import type { KeptKey, PendingImport } from './pending.js';
import {
  previewDifference,
  type PreviewDifference,
  type PreviewProblem,
  type ShownPreview,
} from './preview.js';

/** Elements of `ManagerRoles` from which an import is queued (interface.md, "Import manager roles"). */
const managerQueueThreshold = 200;

/** Of an employee list from which it is queued (docs/contract, "When queued"). */
export const defaultQueueBodyBytes = 8 * 1024 ** 2;

/** Pending imports per company (docs/contract, "Many pending imports"). */
export const maxPendingImports = 1_000;
const maxPendingBytes = 2 * 1024 ** 3;

export interface AcceptImport {
  readonly kind: ImportKind;
  readonly context: CallContext;
  /** `Prefer: respond-async`, or too many conflicts with other imports of the company. */
  readonly prefersAsync: boolean;
  readonly body: { readonly length: number; readonly sha256: string };
  readonly queueBodyBytes: number;
  /** Set revisions, any of which matches; null: any at all. */
  readonly ifMatch: readonly number[] | null;
  /** Of If-Preview; null without it. */
  readonly preview: ShownPreview | PreviewProblem | null;
}

export type Acceptance =
  /** Accepted before under this Idempotency-Key. */
  | { readonly kind: 'replayed'; readonly key: KeptKey }
  | { readonly kind: 'key-reused' }
  /** `preview`: what is otherwise than If-Preview says; without it, If-Match names another revision. */
  | {
      readonly kind: 'precondition-failed';
      readonly current: number | null;
      readonly preview?: PreviewDifference;
    }
  | { readonly kind: 'preview-unusable'; readonly problem: PreviewProblem }
  | { readonly kind: 'integration-not-allowed' }
  /** The company's most Idempotency-Keys are kept. */
  | { readonly kind: 'keys-full' }
  /** It would be queued in any case, and the queue is full. */
  | { readonly kind: 'queue-full' }
  /** The body decides, once it is checked. */
  | AcceptedIfValid;

export interface AcceptedIfValid {
  readonly kind: 'accepted-if-valid';
  /** From this many elements on it is queued; 0: always. */
  readonly atOnceBelow: number;
  readonly hasQueueRoom: boolean;
  /** The revision that matched, kept where the import is queued. */
  readonly ifMatch: number | null;
  /** What the outcome has to be, kept where the import is queued. */
  readonly preview: ImportPreview | null;
}

/** In order: key, If-Match, If-Preview, integration, body, queueing (docs/contract, "When queued", "Idempotency-Key", "If-Match"). */
export function acceptImport(command: AcceptImport, state: CompanyState): Acceptance {
  const known = knownKey(command.context, state);
  if (known) return known;
  if (hasNoRoomForKey(command.context, state)) return { kind: 'keys-full' };
  const current = state.revisions[command.kind];
  const unmet = unmetCondition(command, current);
  if (unmet) return unmet;
  const settings = integrationSettings(state);
  if (!settings) return { kind: 'integration-not-allowed' };
  const atOnceBelow = atOnceBelowOf(command, state, settings);
  const hasQueueRoom = hasRoomFor(command.body.length, state);
  if (!hasQueueRoom && atOnceBelow === 0) return { kind: 'queue-full' };
  const preview = shownBy(command.preview);
  const { ifMatch } = command;
  return { kind: 'accepted-if-valid', atOnceBelow, hasQueueRoom, ifMatch: ifMatch && current, preview };
}

/** Of If-Match and If-Preview; a dry run has both too. */
export function unmetCondition(
  {
    ifMatch,
    preview,
    body,
  }: Pick<AcceptImport, 'ifMatch' | 'preview'> & { readonly body: { readonly sha256: string } },
  current: number | null,
): Extract<Acceptance, { kind: 'precondition-failed' | 'preview-unusable' }> | undefined {
  if (!matches(ifMatch, current)) return { kind: 'precondition-failed', current };
  if (preview === null) return undefined;
  if (typeof preview === 'string') return { kind: 'preview-unusable', problem: preview };
  const differs = previewDifference(preview, { bodySha256: body.sha256, revision: current });
  return differs && { kind: 'precondition-failed', current, preview: differs };
}

const shownBy = (preview: AcceptImport['preview']): ImportPreview | null =>
  preview === null || typeof preview === 'string'
    ? null
    : { revision: preview.revision, outcome: preview.outcome };

function hasRoomFor(bytes: number, { pending }: CompanyState): boolean {
  const pendingBytes = pending.reduce((sum, { payload }) => sum + payload.bytes, 0);
  return pending.length < maxPendingImports && pendingBytes + bytes <= maxPendingBytes;
}

/** Whether a valid call with this many elements is queued, or carried out at once. */
export const isQueued = ({ atOnceBelow }: AcceptedIfValid, elements: number): boolean =>
  elements >= atOnceBelow;

type KnownKey = Extract<Acceptance, { kind: 'replayed' | 'key-reused' }>;

function knownKey({ idempotency, receivedAt }: CallContext, state: CompanyState): KnownKey | undefined {
  const key = idempotency && state.keys.get(idempotency.keyHash, Date.parse(receivedAt));
  if (!key) return undefined;
  return key.bodySha256 === idempotency.bodySha256 ? { kind: 'replayed', key } : { kind: 'key-reused' };
}

const hasNoRoomForKey = ({ idempotency, receivedAt }: CallContext, { keys }: CompanyState): boolean =>
  idempotency !== undefined && keys.kept(Date.parse(receivedAt)) >= maxKeptKeys;

const matches = (ifMatch: readonly number[] | null, current: number | null): boolean =>
  ifMatch === null || (current !== null && ifMatch.includes(current));

export function integrationSettings({
  settings,
}: Pick<CompanyState, 'settings'>): CompanySettings | undefined {
  return settings.status === 'configured' && settings.settings.integrationEnabled
    ? settings.settings
    : undefined;
}

function atOnceBelowOf(command: AcceptImport, { pending }: CompanyState, settings: CompanySettings): number {
  const isQueued = command.prefersAsync || isLarge(command) || pending.some((each) => queues(each, command));
  return isQueued ? 0 : (thresholdOf(command.kind, settings) ?? Number.POSITIVE_INFINITY);
}

const isLarge = ({ kind, body, queueBodyBytes }: AcceptImport): boolean =>
  kind === 'employees' && body.length >= queueBodyBytes;

export function thresholdOf(kind: ImportKind, settings: CompanySettings): number | null {
  switch (kind) {
    case 'employees':
      return settings.queueThreshold;
    case 'managers':
      return managerQueueThreshold;
    default:
      return kind satisfies never;
  }
}

/** Any pending import queues employees. Managers wait for managers, for what is held, and for employees of the same API user. */
export function queues(
  pending: PendingImport,
  { kind, context }: Pick<AcceptImport, 'kind' | 'context'>,
): boolean {
  switch (kind) {
    case 'employees':
      return true;
    case 'managers':
      return pending.kind === 'managers' || isHeld(pending) || isOfUser(pending, context.userId);
    default:
      return kind satisfies never;
  }
}

const isOfUser = ({ context }: PendingImport, userId: number | null): boolean =>
  userId !== null && context.userId === userId;
