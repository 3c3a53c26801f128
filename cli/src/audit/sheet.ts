import { plain } from '@rollcall/application';
import stringWidth from 'string-width';
import type { CliIo } from '../cli-io.js';
import { WrongUse } from '../refusal.js';

type Format = 'table' | 'json' | 'csv';

export interface FormatOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function formatOf({ json = false, csv = false }: FormatOptions): Format {
  if (json && csv) throw new WrongUse('Give --json or --csv, not both.');
  return json ? 'json' : csv ? 'csv' : 'table';
}

/** One kind of row with its three renderings. */
export interface Sheet<R> {
  /** The first members of the object that `--json` prints; the rows follow. */
  readonly head: Readonly<Record<string, unknown>>;
  /** The member that holds the rows; `rows` by default. */
  readonly rows?: string;
  readonly columns: readonly string[];
  readonly cells: (row: R) => readonly string[];
  readonly json: (row: R) => string;
}

type Render<R> = { readonly begin: string; rows(rows: readonly R[]): string; end(count: number): string };

/** Writes the rows as they come, and returns their number. Holds one batch. */
export async function writeSheet<R>(
  io: CliIo,
  format: Format,
  sheet: Sheet<R>,
  batches: AsyncIterable<readonly R[]>,
): Promise<number> {
  const render = renders[format](sheet);
  let [count, text] = [0, render.begin];
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    text += render.rows(rows);
    count += rows.length;
    await io.out(text);
    text = '';
    if (io.isOutClosed?.()) break;
  }
  await io.out(text + render.end(count));
  return count;
}

const renders: { readonly [F in Format]: <R>(sheet: Sheet<R>) => Render<R> } = {
  table: tableOf,
  csv: csvOf,
  json: jsonOf,
};

function jsonOf<R>({ head, json, rows: name = 'rows' }: Sheet<R>): Render<R> {
  const members = JSON.stringify(head).slice(0, -1);
  let between = '\n';
  const row = (each: R): string => {
    const text = between + json(each);
    between = ',\n';
    return text;
  };
  return {
    begin: `${members}${members === '{' ? '' : ','}"${name}":[`,
    rows: (rows) => rows.map(row).join(''),
    end: (count) => (count === 0 ? ']}\n' : '\n]}\n'),
  };
}

/** RFC 4180. A cell that a spreadsheet would compute begins with an apostrophe. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvOf<R>({ columns, cells }: Sheet<R>): Render<R> {
  const line = (texts: readonly string[]): string => `${texts.map(csvCell).join(',')}\r\n`;
  return {
    begin: line(columns),
    rows: (rows) => rows.map((row) => line(cells(row))).join(''),
    end: () => '',
  };
}

interface Cell {
  readonly text: string;
  readonly shown: string;
  readonly width: number;
}

function cellOf(text: string): Cell {
  if (/^[ -~]*$/.test(text)) return { text, shown: text, width: text.length };
  const shown = plain(text);
  return { text, shown, width: stringWidth(shown) };
}

/** Columns are as wide as the widest cell so far. */
function tableOf<R>({ columns, cells }: Sheet<R>): Render<R> {
  const widths = columns.map(() => 0);
  // Cells of a column are often those of the row before.
  const before: Cell[] = [];
  const measured = (texts: readonly string[]): readonly Cell[] =>
    texts.map((text, at) => {
      const known = before[at];
      const cell = known?.text === text ? known : (before[at] = cellOf(text));
      if (cell.width > (widths[at] ?? 0)) widths[at] = cell.width;
      return cell;
    });
  const line = (row: readonly Cell[]): string =>
    row
      .map(({ shown, width }, at) =>
        at === row.length - 1 ? shown : shown + ' '.repeat((widths[at] ?? 0) - width),
      )
      .join('  ')
      .trimEnd();
  let head: readonly (readonly string[])[] = [columns];
  return {
    begin: '',
    rows: (rows) => {
      const all = [...head, ...rows.map(cells)].map(measured);
      head = [];
      return all.map((row) => `${line(row)}\n`).join('');
    },
    end: (count) => (count === 0 ? 'Nothing.\n' : ''),
  };
}
