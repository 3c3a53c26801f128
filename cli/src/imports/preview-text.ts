import type { DryRunResult, ImportKind, ManagerDryRunResult } from '@rollcall/contracts';
import { isOfEmployees, plain, type Preview } from '@rollcall/application';
import { table } from '../output.js';
import { counted } from '../situation/words.js';

const shownIds = 5;

const idsText = (ids: readonly string[], count: number): string =>
  [...ids.slice(0, shownIds).map(plain), ...(count > shownIds ? [`and ${count - shownIds} more`] : [])].join(
    ', ',
  );

function employeeRows({ Inserted, Updated, Removed, Changes }: DryRunResult): string[][] {
  return [
    ['inserted', String(Inserted), idsText(Changes.Inserted, Inserted)],
    ['updated', String(Updated), idsText(Changes.Updated, Updated)],
    ['removed', String(Removed), idsText(Changes.Removed, Removed)],
  ];
}

const managerRows = ({ Created, Disabled, Locked, Unlocked, Changes }: ManagerDryRunResult): string[][] => [
  ['roles created', String(Created), ''],
  ['roles disabled', String(Disabled), ''],
  ['users locked', String(Locked), idsText(Changes.Locked, Locked)],
  ['users unlocked', String(Unlocked), idsText(Changes.Unlocked, Unlocked)],
];

const overLimitTexts = { refuse: 'it is refused', hold: 'it waits until somebody approves it' };

function remarksOfEmployees({ BatchLimit, Invitations }: DryRunResult): string[] {
  const { Count, FirstDueAt, LastDueAt } = Invitations;
  const lines: readonly (readonly [isTrue: boolean, text: string])[] = [
    [
      Count > 0,
      `${counted(Count, 'invitation')} ${Count === 1 ? 'goes' : 'go'} out, from ${FirstDueAt ?? ''} to ${LastDueAt ?? ''}.`,
    ],
    [
      BatchLimit.Exceeded,
      `That is more than the batch limit of ${BatchLimit.Limit ?? 0} %: ${overLimitTexts[BatchLimit.OverLimit]}.`,
    ],
  ];
  return lines.flatMap(([isTrue, text]) => (isTrue ? [text] : []));
}

function remarks(preview: Preview): string[] {
  const { LikelyRenames, PendingImports } = preview;
  // Managers wait for some only: those of managers, held ones, and employees of the same API user.
  const [leaving, waits] = isOfEmployees(preview) ? ['removed', 'waits'] : ['locked', 'may wait'];
  return [
    ...(PendingImports > 0 ? [`It ${waits} for ${counted(PendingImports, 'pending import')}.`] : []),
    ...(LikelyRenames.Count > 0
      ? [`${LikelyRenames.Count} of the new ones look like people who would be ${leaving}.`]
      : []),
    ...(isOfEmployees(preview) ? remarksOfEmployees(preview) : []),
  ];
}

export function previewLines(kind: ImportKind, company: number, preview: Preview): readonly string[] {
  const rows = isOfEmployees(preview) ? employeeRows(preview) : managerRows(preview);
  return [
    `What this would do to the ${kind} of company ${company}:`,
    ...table(['', 'count', ''], rows),
    ...remarks(preview),
  ];
}

/** What `yes` agrees to. */
export const changeText = (company: number, preview: Preview): string =>
  isOfEmployees(preview)
    ? `insert ${preview.Inserted}, update ${preview.Updated} and remove ${preview.Removed} employees of company ${company}`
    : `create ${preview.Created} and disable ${preview.Disabled} roles and lock ${preview.Locked} users of company ${company}`;
