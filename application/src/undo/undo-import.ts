import type { CallContext, ImportKind } from '@rollcall/contracts';
import type { CompanyState, ImportCounts } from '@rollcall/domain';
import { companyFold } from '../companies/company-state-cache.js';
import { type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import { foldFrom, type StateStore } from '../event-store/load-state.js';
import { withLookUps } from '../imports/import-handler.js';
import { readTerminalEvent } from '../imports/terminal-events.js';
import type { Position } from '../ports/event-log.js';
import { type CarriedOut, findImport, type NothingToUndo } from './find-import.js';
import { EmployeesUndo, type UndoEmployeesDeps } from './undo-employees.js';
import { ManagersUndo } from './undo-managers.js';
import { HoldersNeeded, type NamedList, type UndoChanges, type UndoHandler } from './undo-handler.js';

export interface UndoDeps extends DecideAndAppendDeps, UndoEmployeesDeps {
  readonly log: DecideAndAppendDeps['log'];
  readonly states: Pick<StateStore<CompanyState>, 'put'>;
}

export interface UndoImport {
  readonly companyId: number;
  /** Of the import. */
  readonly operationId: string;
  /** Restores the rest where a later import has touched some of it. */
  readonly force: boolean;
  /** The set's revision that was shown; undefined: any. */
  readonly revision?: number | null | undefined;
}

export type UndoRejection =
  | NothingToUndo
  /** The oldest import that is accepted and not carried out. */
  | { readonly reason: 'imports-pending'; readonly operationId: string }
  | { readonly reason: 'set-changed'; readonly current: number | null }
  | { readonly reason: 'changed-later'; readonly later: NamedList };

export interface UndoRefused {
  readonly kind: 'refused';
  readonly rejection: UndoRejection;
}

/** What an undo does. Lists name people: they are for the caller's eyes. */
export interface UndoPreview {
  readonly kind: 'preview';
  readonly importKind: ImportKind;
  /** Of the set now. */
  readonly revision: number | null;
  /** As of an import: who comes back is inserted. */
  readonly counts: ImportCounts;
  readonly changes: UndoChanges;
  readonly returning: NamedList;
  /** Employees; of managers the users whom it locks, and the roles that it disables. */
  readonly changed: NamedList;
  readonly removed: NamedList;
  readonly later: NamedList;
  /** Who leaves and has an invitation, which cannot be taken back. */
  readonly sent: NamedList;
}

/** It is as before, or was changed later. */
export const undoesNothing = ({ changes }: UndoPreview): boolean =>
  Object.values(changes).every((count) => count === 0);

export type UndoOutcome =
  | {
      readonly kind: 'done';
      readonly operationId: string;
      readonly importKind: ImportKind;
      readonly counts: ImportCounts;
      readonly position: Position;
    }
  | UndoRefused;
type Turned = Exclude<UndoRejection, { readonly reason: 'changed-later' }>;

export const previewUndo = (deps: UndoDeps, command: UndoImport): Promise<UndoPreview | UndoRefused> =>
  withUndo(deps, command, async (undo, { kind: importKind, reached }) => {
    const source = { log: deps.log, stream: streamOf(command), fold: companyFold(deps.digester) };
    const { state } = (await foldFrom(source, reached)).loaded;
    const turned = turnedAway(command, importKind, state);
    if (turned) return { kind: 'refused', rejection: turned };
    const decision = undo.decide(state, command.operationId);
    if (decision.kind === 'refused') return changedLater(undo, decision.later);
    return {
      kind: 'preview',
      importKind,
      revision: state.revisions[importKind],
      counts: decision.counts,
      changes: decision.changes,
      returning: await undo.named(decision.returning),
      changed: await undo.named(decision.changed),
      removed: await undo.named(decision.removed),
      later: await undo.named(decision.later),
      sent: await undo.named((await undo.sent?.(decision.removed)) ?? []),
    };
  });

/**
 * Takes back what an import changed, as an import of its own: the operation of `context`, whose `reason` says why
 * (docs/decisions/0028-undo.md). A repeat under the same operation has the first outcome.
 */
export const undoImport = (deps: UndoDeps, context: CallContext, command: UndoImport): Promise<UndoOutcome> =>
  withUndo(deps, command, async (undo, { kind: importKind, eventId, reached }) => {
    const { operationId } = context;
    const outcome = await decideStep<CompanyState, Turned | readonly string[]>(deps, {
      stream: streamOf(command),
      context: { ...context, causationId: eventId, undoes: command.operationId },
      fold: companyFold(deps.digester),
      // An undo comes after its import, and so does a first attempt of the same undo.
      store: { get: () => reached, put: (stream, loaded) => deps.states.put(stream, loaded) },
      decide: (state) => {
        const turned = turnedAway(command, importKind, state);
        if (turned) return { kind: 'refused', rejection: turned };
        const decision = undo.decide(state, operationId);
        return decision.kind === 'refused' ? { kind: 'refused', rejection: decision.later } : decision;
      },
    });
    if (outcome.kind === 'nothing') throw new Error('an undo comes to an event or to a refusal');
    if (outcome.kind === 'refused')
      return 'reason' in outcome.rejection
        ? { kind: 'refused', rejection: outcome.rejection }
        : changedLater(undo, outcome.rejection);
    const [event] = outcome.events;
    if (event === undefined) throw new Error('an operation without an event was appended');
    const terminal = await readTerminalEvent(event);
    if (terminal.kind === 'failed') throw new Error('an undo was not queued and cannot fail');
    return { kind: 'done', operationId, importKind, counts: terminal.counts, position: outcome.position };
  });

const streamOf = ({ companyId }: UndoImport): string => `company-${companyId}`;

async function withUndo<T>(
  deps: UndoDeps,
  command: UndoImport,
  work: (undo: UndoHandler, found: CarriedOut) => Promise<T | UndoRefused>,
): Promise<T | UndoRefused> {
  const { companyId, operationId, force } = command;
  const found = await findImport(deps.log, companyFold(deps.digester), {
    stream: streamOf(command),
    operationId,
  });
  if ('reason' in found) return { kind: 'refused', rejection: found };
  const undone = { companyId, found, force };
  const undo: UndoHandler =
    found.kind === 'employees'
      ? await EmployeesUndo.open(deps, undone)
      : await ManagersUndo.open(deps, undone);
  try {
    return await withLookUps(
      HoldersNeeded,
      () => work(undo, found),
      async (needed) => undo.lookUp?.(needed),
    );
  } finally {
    undo.close?.();
  }
}

/** What is pending was accepted on the set as it is: it runs first, or is cancelled. */
function turnedAway(
  { revision }: UndoImport,
  kind: ImportKind,
  { pending: [oldest], revisions }: CompanyState,
): Turned | undefined {
  if (oldest) return { reason: 'imports-pending', operationId: oldest.operationId };
  const current = revisions[kind];
  return revision === undefined || revision === current ? undefined : { reason: 'set-changed', current };
}

const changedLater = async (undo: UndoHandler, later: readonly string[]): Promise<UndoRefused> => ({
  kind: 'refused',
  rejection: { reason: 'changed-later', later: await undo.named(later) },
});
