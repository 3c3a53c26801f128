import {
  companyAt,
  diffRows,
  stateRows,
  type AuditPart,
  type CompanyAt,
  type Moment,
  type StateOptions,
} from '@rollcall/application';
import type { CliIo } from '../cli-io.js';
import { checkReveal, reveals, type Revealed, type RevealOptions } from '../audit/reveal.js';
import { diffSheet, stateSheet } from '../audit/row-sheets.js';
import { formatOf, writeSheet, type FormatOptions } from '../audit/sheet.js';
import { requireCompany } from '../known-company.js';
import { progressBar, withLogBar } from '../progress-bar.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withLog, type LogSession } from '../log-session.js';

interface PartsOptions extends FormatOptions, RevealOptions {
  readonly company: number;
  readonly part?: readonly AuditPart[];
}

export interface AuditStateOptions extends PartsOptions {
  readonly at?: string;
  readonly revision?: number;
}

export interface AuditDiffOptions extends PartsOptions {
  readonly from: Moment;
  readonly to?: Moment;
}

const LAST: Moment = { at: '~' };

function momentOf({ at, revision }: AuditStateOptions): Moment {
  if (revision === undefined) return at === undefined ? LAST : { at };
  if (at !== undefined) throw new WrongUse('Give --at or --revision, not both.');
  return { revision };
}

const wordsOf = (moment: Moment): string =>
  'at' in moment ? `at ${moment.at}` : `at revision ${moment.revision}`;

async function stateAt(session: LogSession, company: number, moment: Moment): Promise<CompanyAt> {
  await requireCompany(session, company);
  const [state] = await withLogBar(session, (onRead) =>
    companyAt(session.log, company, [moment], { onRead }),
  );
  if (state === undefined) throw new Refusal(`Company ${company} has no state ${wordsOf(moment)}.`);
  return state;
}

const headOf = ({ head: { revision, recordedAt } }: CompanyAt) => ({ revision, recordedAt });

/** Of the employees; only for output that goes to a file as a rule. */
function employeesBar(io: CliIo, { json, csv }: FormatOptions): Required<Pick<StateOptions, 'onEmployees'>> {
  const bar = progressBar(io, json || csv ? 100n : undefined, 'of the employees');
  return {
    onEmployees: (done, of) => {
      bar.show(BigInt(Math.floor((100 * done) / Math.max(1, of))));
      if (done === of) bar.end();
    },
  };
}

const peopleIn = ({ employees, rows }: CompanyAt): number =>
  employees + [...rows.values()].filter(({ part }) => part === 'users').length;

const revealedOf = (what: string, companyId: number, ...states: readonly CompanyAt[]): Revealed => ({
  companyId,
  what,
  rows: states.reduce((rows, state) => rows + peopleIn(state), 0),
});

export async function auditState(io: CliIo, options: AuditStateOptions): Promise<void> {
  const [format, moment] = [formatOf(options), momentOf(options)];
  checkReveal(options);
  const { company, part: parts } = options;
  await withLog(io, async (session) => {
    const state = await stateAt(session, company, moment);
    const reveal = await reveals(session, options, revealedOf('audit state', company, state));
    const rows = stateRows(session.log, state, { parts, reveal, ...employeesBar(io, options) });
    await writeSheet(io, format, stateSheet({ companyId: company, ...headOf(state) }), rows);
  });
}

/** False where one is a time, and the other a revision. */
const isAfter = (one: Moment, other: Moment): boolean =>
  'at' in one ? 'at' in other && one.at > other.at : 'revision' in other && one.revision > other.revision;

export async function auditDiff(io: CliIo, options: AuditDiffOptions): Promise<void> {
  const format = formatOf(options);
  checkReveal(options);
  const { company, part: parts, from, to = LAST } = options;
  if (isAfter(from, to)) throw new WrongUse('--from must not be after --to.');
  await withLog(io, async (session) => {
    const older = await stateAt(session, company, from);
    const newer = await stateAt(session, company, to);
    if (older.head.revision > newer.head.revision || older.until > newer.until)
      throw new Refusal('--from is after --to.');
    const head = { companyId: company, from: headOf(older), to: headOf(newer) };
    const reveal = await reveals(session, options, revealedOf('audit diff', company, older, newer));
    const rows = diffRows(session.log, [older, newer], { parts, reveal, ...employeesBar(io, options) });
    await writeSheet(io, format, diffSheet(head), rows);
  });
}
