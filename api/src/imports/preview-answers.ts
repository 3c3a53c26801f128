import { type ImportOutcome, joined, parsedRows, takeRows } from '@rollcall/application';
import type { ImportKind, PreviewRow } from '@rollcall/contracts';
import type { FastifyReply } from 'fastify';
import { headerValues, prefersCsv } from '../http/call.js';
import { countedRows } from '../http/counted-reads.js';
import { startedStream } from '../http/json-array.js';

/** The dry run as JSON, with its rows as the last member; or the rows alone as CSV (docs/contract, "Dry run"). */
export function sendRehearsal(
  reply: FastifyReply,
  { result, rows }: Extract<ImportOutcome, { kind: 'dry-run' }>,
  kind: ImportKind,
  report: (people: number) => void,
): FastifyReply | Promise<FastifyReply> {
  const json = JSON.stringify(result);
  if (!rows) return reply.send(json);
  const lines = countedRows(takeRows(rows), report, () => 1);
  if (!prefersCsv(headerValues(reply.request, 'accept'))) return sendTexts(reply, withDetails(json, lines));
  reply.type('text/csv; charset=utf-8').header('preview-id', result.PreviewId);
  return sendTexts(reply, differenceCsv(parsedRows(lines), kind));
}

export const sendTexts = async (reply: FastifyReply, texts: AsyncIterable<string>): Promise<FastifyReply> =>
  reply.send(await startedStream(joined(texts)));

async function* withDetails(json: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${json.slice(0, -1)},"Details":[`;
  let comma = '';
  for await (const line of lines) {
    yield `${comma}${line}`;
    comma = ',';
  }
  yield ']}';
}

const subjects = { employees: 'EmployeeID', managers: 'Email' } as const;

/** RFC 4180: a line for each field of a row. */
export async function* differenceCsv(
  rows: AsyncIterable<PreviewRow>,
  kind: ImportKind,
): AsyncGenerator<string> {
  const subject = subjects[kind];
  yield `Change,Id,${subject},Field,Old,New\r\n`;
  for await (const row of rows)
    for (const [field, { Old, New }] of Object.entries(row.Fields))
      yield `${[row.Change, row.Id, row[subject] ?? null, field, Old, New].map(cell).join(',')}\r\n`;
}

/** Spreadsheets carry out texts that begin so: an apostrophe makes them text. Numbers and phone numbers stay. */
const formula = /^(?:[=@\t\r]|[+-](?![\d. ]*$))/;

export function cell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
