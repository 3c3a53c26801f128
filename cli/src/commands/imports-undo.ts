import {
  type NamedList,
  type NothingToUndo,
  previewUndo,
  spacedWords,
  type UndoDeps,
  undoesNothing,
  undoImport,
  type UndoImport,
  type UndoPreview,
  type UndoRejection,
  plain,
} from '@rollcall/application';
import type { ImportKind } from '@rollcall/contracts';
import { findRows } from '@rollcall/host';
import type { CliIo } from '../cli-io.js';
import { withCompanyStates } from '../company-states.js';
import { companyOfImport } from '../imports/rows.js';
import { answer, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';

export interface UndoOptions {
  readonly operation: string;
  readonly reason: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** People whom a line of text names. */
const shownNames = 20;

async function undoDeps(session: StoresSession): Promise<UndoDeps> {
  const { readModels, config } = session;
  const deps = await withCompanyStates(session);
  return { ...deps, findRows: findRows(readModels), temporaryFolder: config.adapters.dataDir };
}

export const undoImportCommand = (
  io: CliIo,
  { operation, reason, force = false, dryRun = false, json = false }: UndoOptions,
): Promise<void> =>
  withStores(io, async (session) => {
    const companyId = await companyOfImport(session, operation);
    const command = { companyId, operationId: operation, force };
    const deps = await undoDeps(session);
    const shown = await previewUndo(deps, command);
    if (shown.kind === 'refused') throw undoRefusal(command, shown.rejection);
    const lines = previewLines(command, shown);
    if (dryRun) return answer(io, json, { dryRun: true, ...jsonOf(command, shown) }, lines);
    const outcome = await undoImport(deps, session.context(companyId, reason), {
      ...command,
      revision: shown.revision,
    });
    if (outcome.kind === 'refused') throw undoRefusal(command, outcome.rejection);
    const { operationId } = outcome;
    const done = undoesNothing(shown)
      ? 'Nothing was left to undo: it is as before, or was changed later.'
      : `Done: import ${operation} is undone by ${operationId}.`;
    await answer(io, json, { operationId, ...jsonOf(command, shown) }, [...lines, done]);
  });

function jsonOf({ companyId, operationId: undoes }: UndoImport, shown: UndoPreview) {
  const { importKind: kind, counts, changes, returning, changed, later, sent } = shown;
  const locked = kind === 'managers' && { usersLocked: changed };
  return { companyId, undoes, kind, ...counts, changes, returning, ...locked, later, sent };
}

const returningTexts: Readonly<Record<ImportKind, string>> = {
  employees: 'Come back under their old numbers, without a new invitation',
  managers: 'Roles that are enabled again',
};

function previewLines({ companyId, operationId }: UndoImport, shown: UndoPreview): string[] {
  const { importKind, changes, returning, changed, later, sent } = shown;
  return [
    `Undoing import ${operationId} of the ${importKind} of company ${companyId}:`,
    ...table(
      ['', 'count'],
      Object.entries(changes).map(([name, count]) => [spacedWords(name), String(count)]),
    ),
    ...listLine(returningTexts[importKind], returning),
    ...(importKind === 'managers' ? listLine('Users who are locked', changed) : []),
    ...listLine('Left alone, because a later import changed them', later),
    ...listLine('Removed, but their invitations were sent and cannot be taken back', sent),
  ];
}

const listLine = (what: string, list: NamedList): string[] =>
  list.count === 0 ? [] : [`${what}: ${namesText(list)}.`];

function namesText({ count, named }: NamedList): string {
  const shown = named
    .slice(0, shownNames)
    .map(({ id, name }) => (name === null ? `number ${id}` : plain(name)));
  return [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])].join(', ');
}

const nothingToUndo: Readonly<Record<NothingToUndo['reason'], string>> = {
  unknown: 'was refused when it came: there is nothing to undo.',
  pending: 'is pending: cancel it instead.',
  failed: 'has failed: there is nothing to undo.',
  cancelled: 'was cancelled: there is nothing to undo.',
  rejected: 'was rejected: there is nothing to undo.',
  'changed-nothing': 'changed nothing: there is nothing to undo.',
};

const isNothing = (rejection: UndoRejection): rejection is NothingToUndo =>
  Object.hasOwn(nothingToUndo, rejection.reason);

function undoRefusal({ companyId, operationId }: UndoImport, rejection: UndoRejection): Refusal {
  if (isNothing(rejection)) return new Refusal(`Import ${operationId} ${nothingToUndo[rejection.reason]}`);
  switch (rejection.reason) {
    case 'imports-pending':
      return new Refusal(
        `Import ${rejection.operationId} of company ${companyId} is pending: let it end, or cancel it first.`,
      );
    case 'set-changed':
      return new Refusal(
        `Company ${companyId} was changed meanwhile, by somebody else. Run the command again.`,
      );
    case 'changed-later':
      return new Refusal(
        `A later import has changed ${rejection.later.count} of what import ${operationId} changed: ` +
          `${namesText(rejection.later)}. Use --force to leave those alone and restore the rest.`,
      );
    default:
      return rejection satisfies never;
  }
}
