import {
  previewUndo,
  type ShownRow,
  type UndoDeps,
  type UndoImport,
  undoImport,
  type UndoOutcome,
} from '@rollcall/application';
import type { CallContext } from '@rollcall/contracts';
import { callContext } from './decide-and-append.support.js';
import { type Company, manage } from './imports.support.js';

/** As the command line has it. */
export const undoDeps = (on: Company): UndoDeps => ({
  ...manage(on),
  readModels: on.readModels,
  findRows: (_kind, _companyId, numbers): Promise<readonly (ShownRow | undefined)[]> =>
    Promise.resolve(
      numbers.map((number) =>
        number === 0 ? undefined : { EmployeeID: `nr ${number}`, Email: `nr ${number}` },
      ),
    ),
  temporaryFolder: on.folder,
});

export interface UndoCall extends Partial<UndoImport> {
  readonly context?: Partial<CallContext>;
}

const commandOf = (operationId: string, { force = false, revision }: UndoCall): UndoImport => ({
  ...{ companyId: 7, operationId, force, revision },
});

export const preview = (on: Company, operationId: string, call: UndoCall = {}) =>
  previewUndo(undoDeps(on), commandOf(operationId, call));

export const undo = (on: Company, operationId: string, call: UndoCall = {}): Promise<UndoOutcome> =>
  undoImport(
    undoDeps(on),
    callContext({ userId: null, username: 'cli:ann@host', reason: 'the wrong file', ...call.context }),
    commandOf(operationId, call),
  );

/** The operation of an undo, with its counts. */
export function undone(outcome: UndoOutcome): { operation: string; counts: readonly number[] } {
  if (outcome.kind !== 'done') throw new Error(`refused: ${JSON.stringify(outcome.rejection)}`);
  const { inserted, updated, removed } = outcome.counts;
  return { operation: outcome.operationId, counts: [inserted, updated, removed] };
}
