import { createReadStream, openSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { PreviewRow, EmployeeValues } from '@rollcall/contracts';
import { canonicalUtcDate } from '@rollcall/employee-lists/text';
import { EventLogUnavailable } from '../ports/event-log.js';
import type { StoredRows } from '../ports/imports.js';
import { temporaryPath } from './stored-body.js';

const batchCharacters = 64 * 1024;

/** Texts joined into longer ones; behind each, other work has a turn. */
export async function* joined(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let batch = '';
  for await (const text of texts) {
    batch += text;
    if (batch.length < batchCharacters) continue;
    yield batch;
    batch = '';
    await setImmediate();
  }
  yield batch;
}

async function* jsonLines(rows: AsyncIterable<PreviewRow>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** `EventLogUnavailable` where the folder takes no file. Nothing is left of rows that fail. */
export async function storeRows(folder: string, rows: AsyncIterable<PreviewRow>): Promise<StoredRows> {
  const path = temporaryPath(folder);
  try {
    await writeFile(path, joined(jsonLines(rows)), { flag: 'wx', mode: 0o600 });
    return { path };
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return unavailable(error);
  }
}

/** The rows' JSON texts; the file is gone from now on. `EventLogUnavailable` where it is gone already. */
export function takeRows({ path }: StoredRows): AsyncGenerator<string> {
  let fd: number;
  try {
    fd = openSync(path, 'r');
    rmSync(path);
  } catch (error) {
    return unavailable(error);
  }
  return linesOf(createReadStream(path, { fd, encoding: 'utf8' }));
}

export const discardRows = (rows: StoredRows | undefined): void => {
  if (rows) rmSync(rows.path, { force: true });
};

export const previewRows = (rows: StoredRows): AsyncGenerator<PreviewRow> => parsedRows(takeRows(rows));

export async function* parsedRows(lines: AsyncIterable<string>): AsyncGenerator<PreviewRow> {
  for await (const line of lines) yield JSON.parse(line) as PreviewRow;
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function unavailable(cause: unknown): never {
  throw new EventLogUnavailable('The temporary file for the rows of a preview cannot be used', { cause });
}
type Fields = Readonly<Record<string, PreviewRow['Fields'][string]['Old']>>;

/** Those that differ; null where one side has none. */
export function differingFields(before: Fields, after: Fields): PreviewRow['Fields'] {
  const fields: PreviewRow['Fields'] = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [Old, New] = [before[name] ?? null, after[name] ?? null];
    if (compared(name, Old) !== compared(name, New)) fields[name] = { Old, New };
  }
  return fields;
}

/** `.000Z` and `Z` are the same (docs/contract, "Counts"). */
const compared = (name: string, value: Fields[string]): Fields[string] =>
  name === 'Birthday' && value !== null ? canonicalUtcDate(String(value)) : value;

/** A dimension is the field `Dimensions.<name>`. */
export const fieldsBetween = (
  before: EmployeeValues | undefined,
  after: EmployeeValues | undefined,
): PreviewRow['Fields'] => differingFields(flat(before), flat(after));

function flat(values: EmployeeValues | undefined): Fields {
  if (!values) return {};
  const { Dimensions = {}, ...fields } = values;
  const dimensions = Object.entries(Dimensions).map(([name, value]) => [`Dimensions.${name}`, value]);
  return { ...fields, ...(Object.fromEntries(dimensions) as Fields) };
}
