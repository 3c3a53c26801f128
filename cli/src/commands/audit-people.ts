import {
  employeeHistory,
  explainOperation,
  type ExplainedEvent,
  type HistoryRow,
} from '@rollcall/application';
import { checkReveal, reveals, type RevealOptions } from '../audit/reveal.js';
import { changesText, originCells, originColumns } from '../audit/row-sheets.js';
import { formatOf, writeSheet, type FormatOptions, type Sheet } from '../audit/sheet.js';
import type { CliIo } from '../cli-io.js';
import { employeeUnknown, requireCompany } from '../known-company.js';
import { withLogBar } from '../progress-bar.js';
import { Refusal } from '../refusal.js';
import { withLog } from '../log-session.js';

export interface AuditHistoryOptions extends FormatOptions, RevealOptions {
  readonly company: number;
  readonly employee: string;
}

export interface AuditExplainOptions extends FormatOptions, RevealOptions {
  readonly operation: string;
}

async function* once<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(rows);
}

const historySheet = (companyId: number): Sheet<HistoryRow> => ({
  head: { companyId },
  columns: ['Number', 'What', ...originColumns, 'Fields'],
  cells: ({ number, what, by, fields }) => [
    String(number),
    by.undoes === undefined ? what : `${what}, undoing ${by.undoes}`,
    ...originCells(by),
    changesText(fields),
  ],
  json: ({ number, what, by, fields }) => JSON.stringify({ number, what, ...by, fields }),
});

export async function auditHistory(io: CliIo, options: AuditHistoryOptions): Promise<void> {
  const format = formatOf(options);
  checkReveal(options);
  const { company: companyId, employee: employeeId, reveal = false } = options;
  await withLog(io, async (session) => {
    await requireCompany(session, companyId);
    const rows = await withLogBar(session, (onRead) =>
      employeeHistory(session.log, { companyId, employeeId }, { onRead, reveal }),
    );
    if (rows.length === 0) throw employeeUnknown(companyId);
    const people = new Set(rows.map(({ number }) => number)).size;
    await reveals(session, options, { companyId, what: 'audit history', rows: people });
    await writeSheet(io, format, historySheet(companyId), once(rows));
  });
}

const factsText = ({ facts, why }: ExplainedEvent): string => {
  const members = Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [...(why === undefined ? [] : [why]), members.join('; ')].join(' ');
};

const explainSheet = (head: Readonly<Record<string, unknown>>): Sheet<ExplainedEvent> => ({
  head,
  rows: 'events',
  columns: ['Role', 'Type', ...originColumns, 'Facts'],
  cells: (event) => [event.role, event.type, ...originCells(event.by), factsText(event)],
  json: ({ by, ...event }) => JSON.stringify({ ...event, ...by }),
});

/** Each validation error names one person. */
const peopleIn = (events: readonly ExplainedEvent[]): number =>
  events.flatMap(({ facts: { validationErrors } }) => validationErrors ?? []).length;

export async function auditExplain(io: CliIo, options: AuditExplainOptions): Promise<void> {
  const format = formatOf(options);
  checkReveal(options);
  await withLog(io, async (session) => {
    const { operation, reveal = false } = options;
    const found = await withLogBar(session, (onRead) =>
      explainOperation(session.log, operation, { onRead, reveal }),
    );
    if (found === undefined) throw new Refusal(`The log has no operation ${operation}.`);
    const { events, ...call } = found;
    const { companyId } = call;
    const people = peopleIn(events);
    if (companyId !== null)
      await reveals(session, options, { companyId, what: 'audit explain', rows: people });
    await writeSheet(io, format, explainSheet(call), once(events));
    const mails = Object.entries(call.invitations).map(([name, count]) => `${count} ${name}`);
    if (format === 'table' && mails.length > 0)
      await io.out(`Invitations of those added: ${mails.join(', ')}\n`);
  });
}
