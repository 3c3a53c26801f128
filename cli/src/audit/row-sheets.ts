import { MASK, type AuditRow, type DiffRow, type FieldChange, type Origin } from '@rollcall/application';
import type { Sheet } from './sheet.js';

type Head = Readonly<Record<string, unknown>>;

const who = ({ userId, username }: Pick<Origin, 'userId' | 'username'>): string =>
  userId === null ? username : `${username} (user ${userId})`;

/** Rows of one event come together, so what is made of it is made once. */
function madeOnce<T>(make: (by: Origin) => T): (by: Origin) => T {
  let last: { readonly by: Origin; readonly made: T } | undefined;
  return (by) => (last?.by === by ? last : (last = { by, made: make(by) })).made;
}

export const originColumns = ['Since', 'Event', 'Call', 'By'] as const;
export const originCells = (by: Origin): readonly string[] => [
  by.recordedAt,
  `${by.stream}@${by.revision}`,
  by.operationId,
  who(by),
];

export function stateSheet(head: Head): Sheet<AuditRow> {
  const members = madeOnce((by) => JSON.stringify(by).slice(1, -1));
  const cells = madeOnce(originCells);
  const personalText = ({ personal }: AuditRow): string => personal ?? JSON.stringify(MASK);
  return {
    head,
    columns: ['Part', 'Id', ...originColumns, 'Values'],
    cells: (row) => [row.part, row.id, ...cells(row.by), valuesText(row)],
    json: (row) => {
      const personal = row.personal === undefined ? '' : `,"personal":${personalText(row)}`;
      return `{"part":"${row.part}","id":"${row.id}",${members(row.by)},"values":${JSON.stringify(row.open)}${personal}}`;
    },
  };
}

function valuesText({ open, personal }: AuditRow): string {
  const text = JSON.stringify(open);
  if (personal === undefined) return text;
  return `${text} ${personal ?? MASK}`;
}

const valueText = (value: unknown): string => (value === undefined ? '-' : JSON.stringify(value));

export const changesText = (fields: readonly FieldChange[]): string =>
  fields
    .map(({ field, before, after }) => `${field}: ${valueText(before)} -> ${valueText(after)}`)
    .join('; ');

export const diffSheet = (head: Head): Sheet<DiffRow> => ({
  head,
  columns: ['Part', 'Id', 'Change', ...originColumns, 'Fields'],
  cells: ({ part, id, change, by, fields }) => [part, id, change, ...originCells(by), changesText(fields)],
  json: ({ part, id, change, by, fields }) => JSON.stringify({ part, id, change, ...by, fields }),
});
