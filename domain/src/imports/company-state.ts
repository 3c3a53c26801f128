import type {
  CallContext,
  EmployeeSetSummary,
  EventMetadata,
  ImportHeld,
  ImportKind,
  ImportQueued,
  ManagerRolesSummary,
} from '@rollcall/contracts';
import { type CompanySettingsState, initialState as initialSettings } from '../companies/index.js';
import type { EmployeeSetState } from '../employees/decide.js';
import { type EmployeeSet, emptySet } from '@rollcall/employee-lists/set';
import {
  type ManagerRolesEvent,
  evolve,
  initialState as initialManagers,
  type ManagerRolesState,
} from '../managers/evolve.js';
import { KeptKeys } from './kept-keys.js';
import type { Hold, PendingImport } from './pending.js';

/** By kind: a revision of the company's stream; null before the first. */
export type RevisionOfKind = Readonly<Record<ImportKind, number | null>>;

/** The fold of a company's stream: all that its decisions read. */
export interface CompanyState extends EmployeeSetState {
  readonly managers: ManagerRolesState;
  /** Queued imports without a terminal event, oldest first. */
  readonly pending: readonly PendingImport[];
  readonly keys: KeptKeys;
  /** Of the set's last change: its ETag. */
  readonly revisions: RevisionOfKind;
  /** Of the newest acceptance: `ImportQueued`, or the terminal event of an immediate call. */
  readonly accepted: RevisionOfKind;
  /** No invitations are sent. */
  readonly held: boolean;
}

export const initialCompanyState = (): CompanyState => ({
  settings: initialSettings(),
  employees: emptySet(),
  lastBody: null,
  managers: initialManagers(),
  pending: [],
  keys: KeptKeys.of([]),
  revisions: { employees: null, managers: null },
  accepted: { employees: null, managers: null },
  held: false,
});

export interface EventPosition {
  readonly revision: number;
  readonly metadata: EventMetadata;
}

/** Inserted, updated, removed; of managers: roles created, users locked, roles disabled. */
export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly removed: number;
}

function contextOf(metadata: EventMetadata): CallContext {
  const context: CallContext & Partial<EventMetadata> = { ...metadata };
  delete context.recordedAt;
  delete context.chain;
  return context;
}

export function afterQueued(
  state: CompanyState,
  queued: ImportQueued,
  position: EventPosition,
): CompanyState {
  const { operationId, kind, method, payload, elements, ifMatch, preview, keepsRenames } = queued;
  const { revision, metadata } = position;
  const context = contextOf(metadata);
  const asked = { ifMatch, preview, keepsRenames };
  return {
    ...state,
    pending: [
      ...state.pending,
      { operationId, kind, revision, context, method, payload, elements, ...asked, hold: null },
    ],
    keys: keptFor(state.keys, position, { status: 202 }),
    accepted: { ...state.accepted, [kind]: revision },
  };
}

interface EndedImport {
  readonly operationId: string;
  readonly kind: ImportKind;
  readonly counts: ImportCounts;
  readonly changed: boolean;
}

/** After an import's success; the state already has the new set. A queued import's key keeps its first answer, the 202. */
function afterEnded(state: CompanyState, ended: EndedImport, position: EventPosition): CompanyState {
  const { kind, operationId, counts, changed } = ended;
  const { revision } = position;
  const revisions = changed ? { ...state.revisions, [kind]: revision } : state.revisions;
  if (pendingOf(state, operationId)) return { ...state, revisions, pending: without(state, operationId) };
  return {
    ...state,
    revisions,
    keys: keptFor(state.keys, position, { status: 200, ...counts }),
    accepted: { ...state.accepted, [kind]: revision },
  };
}

/** After `EmployeeSetReplaced` (with the new set) or `EmployeeSetConfirmed`. */
export function afterEmployeeSet(
  state: CompanyState,
  summary: EmployeeSetSummary,
  employees: EmployeeSet,
  position: EventPosition,
): CompanyState {
  const { operationId, inserted, updated, removed, bodySha256, digestVersion } = summary;
  const counts = { inserted, updated, removed };
  const changed = employees !== state.employees;
  const after = { ...state, employees, lastBody: { sha256: bodySha256, digestVersion } };
  return afterEnded(after, { operationId, kind: 'employees', counts, changed }, position);
}

/** `SetMismatch` where the event does not fit the roles before. */
export function afterManagerRoles(
  state: CompanyState,
  event: ManagerRolesEvent,
  position: EventPosition,
): CompanyState {
  const { operationId } = event.data;
  const changed = event.name === 'ManagerRolesImported';
  const after = { ...state, managers: evolve(state.managers, event) };
  return afterEnded(
    after,
    { operationId, kind: 'managers', counts: managerCounts(event.data), changed },
    position,
  );
}

export const managerCounts = (summary: ManagerRolesSummary): ImportCounts => ({
  inserted: summary.created,
  updated: summary.locked,
  removed: summary.disabled,
});

function withHold(state: CompanyState, operationId: string, next: (before: Hold | null) => Hold | null) {
  const pending = state.pending.map((one) =>
    one.operationId === operationId ? { ...one, hold: next(one.hold) } : one,
  );
  return { ...state, pending };
}

export const afterHeld = (state: CompanyState, held: ImportHeld, { metadata }: EventPosition): CompanyState =>
  withHold(state, held.operationId, (before) => {
    const times = (before?.times ?? 0) + 1;
    return { held, since: metadata.recordedAt, times, isApproved: false, isOutdated: false };
  });

export const afterApproved = (state: CompanyState, operationId: string): CompanyState =>
  withHold(state, operationId, (hold) => hold && { ...hold, isApproved: true });

/** The outcome that somebody has approved; undefined: none, or under other settings. */
export function approvedOutcome(state: CompanyState, operationId: string): string | undefined {
  const hold = pendingOf(state, operationId)?.hold;
  return hold?.isApproved && !hold.isOutdated ? hold.held.outcome : undefined;
}

export const afterConfigured = (state: CompanyState, settings: CompanySettingsState): CompanyState => ({
  ...state,
  settings,
  pending: state.pending.map((one) => (one.hold ? { ...one, hold: { ...one.hold, isOutdated: true } } : one)),
});

export const isHeld = ({ hold }: Pick<PendingImport, 'hold'>): boolean => hold !== null && !hold.isApproved;

/** After `ImportFailed`, `ImportCancelled` or `ImportRejected`: dequeued, its key free. */
export function afterGivenUp(state: CompanyState, operationId: string): CompanyState {
  const pending = pendingOf(state, operationId);
  if (!pending) return state;
  const { idempotency } = pending.context;
  return {
    ...state,
    pending: without(state, operationId),
    keys: idempotency ? state.keys.freed(idempotency.keyHash, operationId) : state.keys,
  };
}

export const afterHold = (state: CompanyState, held: boolean): CompanyState =>
  state.held === held ? state : { ...state, held };

export const pendingOf = ({ pending }: CompanyState, operationId: string): PendingImport | undefined =>
  pending.find((each) => each.operationId === operationId);

const without = ({ pending }: CompanyState, operationId: string): readonly PendingImport[] =>
  pending.filter((each) => each.operationId !== operationId);

function keptFor(
  keys: KeptKeys,
  { metadata }: EventPosition,
  answer: { status: 202 } | ({ status: 200 } & ImportCounts),
): KeptKeys {
  const { idempotency, operationId, recordedAt } = metadata;
  if (!idempotency) return keys;
  const { keyHash, bodySha256 } = idempotency;
  return keys.with(keyHash, { operationId, bodySha256, at: recordedAt, answer });
}
