import type { EventReader } from '../ports/event-log.js';
import { fieldChanges, type AuditPart, type AuditRow, type FieldChange, type Origin } from './audit-row.js';
import type { AuditRows, CompanyAt } from './company-at.js';
import { newestEntries, NumberSet, type EmployeeEntry } from './employee-entries.js';
import { surveysAt, type SurveyReader } from './survey-rows.js';

export interface StateOptions {
  /** All by default. */
  readonly parts?: readonly AuditPart[] | undefined;
  /** Personal values are masked without it. */
  readonly reveal?: boolean;
  /** How many of the company's employees were read. */
  readonly onEmployees?: (done: number, of: number) => void;
  /** Employees whose values a comparison holds at a time. */
  readonly together?: number;
}

const wants = ({ parts }: StateOptions, part: AuditPart): boolean => parts?.includes(part) ?? true;

/**
 * The rows of a state, in batches: settings, templates, managers, then employees by their newest event, then surveys. Holds a chunk of an
 * event, whatever the number of employees.
 */
export async function* stateRows(
  log: SurveyReader,
  state: CompanyAt,
  options: StateOptions = {},
): AsyncGenerator<readonly AuditRow[]> {
  const { reveal = false } = options;
  const small = [...state.rows.values()].filter(({ part }) => wants(options, part));
  yield reveal ? small : small.map(maskedRow);
  if (wants(options, 'employees')) yield* employeeRows(log, state, options);
  if (!wants(options, 'surveys')) return;
  for await (const [row] of surveysAt(log, state.companyId, [state.until])) if (row) yield [row];
}

const maskedRow = (row: AuditRow): AuditRow =>
  row.personal === undefined ? row : { ...row, personal: null };

const employeeRow = ({ number, by, digest, values }: EmployeeEntry): AuditRow => ({
  part: 'employees',
  id: String(number),
  by,
  open: { digest },
  personal: values,
});

async function* employeeRows(
  log: EventReader,
  { companyId, head }: CompanyAt,
  { reveal = false, onEmployees }: StateOptions,
): AsyncGenerator<readonly AuditRow[]> {
  let [done, of] = [0, 0];
  const entries = newestEntries(log, `company-${companyId}`, {
    from: head.revision,
    withValues: reveal,
    onTotal: (total) => (of = total),
  });
  for await (const batch of entries) {
    const rows = batch.filter(({ present }) => present).map(employeeRow);
    onEmployees?.((done += rows.length), of);
    if (rows.length > 0) yield rows;
  }
}

export interface DiffRow {
  readonly part: AuditPart;
  readonly id: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** The newest event of the difference; for a removed role the one that set it. */
  readonly by: Origin;
  readonly fields: readonly FieldChange[];
}

type Sides = readonly [before: AuditRow | undefined, after: AuditRow | undefined];

function diffRow(sides: Sides, reveal: boolean, by?: Origin): DiffRow | undefined {
  const [before, after] = sides;
  const row = after ?? before;
  const change = changeOf(sides);
  const fields = fieldChanges(before, after, reveal);
  if (row === undefined || (change === 'changed' && fields.length === 0)) return undefined;
  return { part: row.part, id: row.id, change, by: by ?? row.by, fields };
}

function changeOf([before, after]: Sides): DiffRow['change'] {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

const isRow = (row: DiffRow | undefined): row is DiffRow => row !== undefined;

const comparedTogether = 16_384;

/**
 * What differs between two states, the older one first. `before` and `after` of a field are what the states say, whatever happened in
 * between. Employees are compared in groups of `together`, each with two readings of the events concerned.
 */
export async function* diffRows(
  log: SurveyReader,
  [from, to]: readonly [CompanyAt, CompanyAt],
  options: StateOptions = {},
): AsyncGenerator<readonly DiffRow[]> {
  const { reveal = false } = options;
  const small = sidesOf(from.rows, to.rows).map((sides) => diffRow(sides, reveal));
  yield small.filter(isRow).filter(({ part }) => wants(options, part));
  if (wants(options, 'employees')) yield* employeeDiff(log, [from, to], options);
  if (!wants(options, 'surveys')) return;
  for await (const [before, after] of surveysAt(log, to.companyId, [from.until, to.until])) {
    const row = diffRow([before, after], reveal);
    if (row !== undefined) yield [row];
  }
}

function sidesOf(before: AuditRows, after: AuditRows): Sides[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].map((key) => [before.get(key), after.get(key)]);
}

async function* employeeDiff(
  log: EventReader,
  [from, to]: readonly [CompanyAt, CompanyAt],
  { reveal = false, onEmployees, together = comparedTogether }: StateOptions,
): AsyncGenerator<readonly DiffRow[]> {
  const stream = `company-${to.companyId}`;
  const range = { from: to.head.revision, downTo: from.head.revision + 1 };
  const touched: number[] = [];
  for await (const batch of newestEntries(log, stream, range))
    for (const { number } of batch) touched.push(number);
  touched.sort((one, other) => one - other);
  for (let done = 0; done < touched.length; done += together) {
    const group = touched.slice(done, done + together);
    const wanted = numberSet(group);
    const asked = { withValues: true, wanted: (number: number) => wanted.has(number) };
    const after = await entriesOf(newestEntries(log, stream, { ...range, ...asked }));
    const before = await entriesOf(newestEntries(log, stream, { from: from.head.revision, ...asked }));
    const rowAt = (entry: EmployeeEntry | undefined): AuditRow | undefined =>
      entry?.present === true ? employeeRow(entry) : undefined;
    yield group
      .map((number) => {
        const newest = after.get(number);
        return diffRow([rowAt(before.get(number)), rowAt(newest)], reveal, newest?.by);
      })
      .filter(isRow);
    onEmployees?.(done + group.length, touched.length);
  }
}

function numberSet(numbers: readonly number[]): NumberSet {
  const set = new NumberSet();
  for (const number of numbers) set.add(number);
  return set;
}

async function entriesOf(
  entries: AsyncIterable<readonly EmployeeEntry[]>,
): Promise<ReadonlyMap<number, EmployeeEntry>> {
  const all = new Map<number, EmployeeEntry>();
  for await (const batch of entries) for (const entry of batch) all.set(entry.number, entry);
  return all;
}
