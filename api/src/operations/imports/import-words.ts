import type { ImportState, ListedImport } from '@rollcall/application';
import type { Html } from '../frame/html.js';
import { counted, numberText } from '../frame/numbers.js';
import type { Progress } from '../frame/progress.js';
import { state, type State } from '../frame/table.js';

const shown: Readonly<Record<ImportState, readonly [State, string]>> = {
  waiting: ['waiting', 'Waiting'],
  running: ['waiting', 'Running'],
  held: ['bad', 'Held'],
  done: ['good', 'Done'],
  failed: ['bad', 'Failed'],
  refused: ['quiet', 'Refused'],
  cancelled: ['quiet', 'Cancelled'],
  rejected: ['quiet', 'Rejected'],
};

export const stateWord = (of: ImportState): string => shown[of][1];

export const stateOf = ({ state: own }: Pick<ListedImport, 'state'>): Html => state(...shown[own]);

export const kindWord = ({ kind }: Pick<ListedImport, 'kind'>): string =>
  kind === 'employees' ? 'Employees' : 'Managers';

const outcomes: Readonly<Record<ImportState, (one: ListedImport) => string>> = {
  waiting: () => 'Runs when the imports before it have ended',
  running: ({ Progress }) => Progress?.replace(' %', '\u00a0%') ?? 'Runs now',
  held: () => 'Waits for somebody to approve or reject it',
  done: countsText,
  failed: problemText,
  refused: problemText,
  cancelled: ({ Result }) => Result ?? '',
  rejected: ({ Result }) => Result ?? '',
};

/** What became of it, or what it waits for, in one line without personal values. */
export const outcomeText = (one: ListedImport): string => outcomes[one.state](one);

/** Once it is not under way, its page shows more: what it did, or what it waits for. */
export const progressOf = (one: ListedImport): Progress => ({
  text: `${stateWord(one.state)}. ${outcomeText(one)}`,
  isDone: one.state !== 'waiting' && one.state !== 'running',
});

function countsText(one: ListedImport): string {
  if (one.kind === 'managers') return one.Result ?? '';
  const { Inserted, Updated, Removed } = one;
  if (Inserted + Updated + Removed === 0) return 'Nothing changed';
  return `${numberText(Inserted)} added, ${numberText(Updated)} updated, ${numberText(Removed)} removed`;
}

function problemText({ HttpStatusCode, Result, ValidationErrors }: ListedImport): string {
  const [first] = ValidationErrors;
  const more = ValidationErrors.at(-1)?.match(/(\d+) more$/)?.[1];
  const count = ValidationErrors.length + (more === undefined ? 0 : Number(more) - 1);
  if (first === undefined) return Result ?? `Answered with ${HttpStatusCode}`;
  return count === 1 ? '1 problem' : counted(count, 'problem');
}
