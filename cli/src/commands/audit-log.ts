import {
  allEvents,
  causeTree,
  eventFilter,
  factsOf,
  findEmployee,
  type EventFilter,
  type LoadedEvent,
} from '@rollcall/application';
import type { CompanySettings, EventName } from '@rollcall/contracts';
import { eventSheet, lineOf, type Shown } from '../audit/event-sheet.js';
import { formatOf, writeSheet, type FormatOptions, type Sheet } from '../audit/sheet.js';
import type { CliIo } from '../cli-io.js';
import { employeeUnknown, requireCompany } from '../known-company.js';
import { progressBar } from '../progress-bar.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withLog, type LogSession } from '../log-session.js';
import { settingChanges } from '../company-text.js';

export interface LogOptions extends FormatOptions, Omit<EventFilter, 'types'> {
  readonly type?: readonly EventName[];
  /** An EmployeeID of the company. */
  readonly employee?: string;
  readonly counts?: boolean;
  readonly tree?: boolean;
}

/** Events that `--tree` holds. */
const maxTreeEvents = 10_000;

/** What each configuration of the company, or of any, changes; ask for every event in order. */
function changesFinder(company: number | undefined): (event: LoadedEvent) => Promise<Shown['changes']> {
  const settings = new Map<number | null, CompanySettings>();
  return async (event) => {
    const { companyId } = event.metadata;
    if (event.name !== 'CompanyConfigured' || (company ?? companyId) !== companyId) return undefined;
    const before = settings.get(companyId);
    const { settings: after } = await event.data('CompanyConfigured');
    settings.set(companyId, after);
    return settingChanges(before, after);
  };
}

const isAccess = ({ name }: LoadedEvent): boolean =>
  name === 'PersonalDataRead' || name === 'AuthenticationsRefused';

const isForFile = ({ json = false, csv = false, counts = false }: LogOptions): boolean =>
  json || csv || counts;

async function finderOf(
  log: LogSession['log'],
  { company: companyId = 0, employee: employeeId }: LogOptions,
) {
  if (employeeId === undefined) return undefined;
  const finder = await findEmployee(log, { companyId, employeeId });
  if (finder.numbers.size === 0) throw employeeUnknown(companyId);
  return finder;
}

/** In log order: its own stream, operations, invitations, surveys and API users. */
async function* wantedEvents({ log, io }: LogSession, options: LogOptions): AsyncGenerator<Shown> {
  const isWanted = eventFilter({ ...options, types: options.type }, await finderOf(log, options));
  const changesIn = changesFinder(options.company);
  const bar = progressBar(io, isForFile(options) ? await log.lastPosition() : undefined);
  try {
    for await (const event of allEvents(log, (position) => bar.show(position))) {
      const changes = await changesIn(event);
      if (!(await isWanted(event))) continue;
      const access = isAccess(event) ? await factsOf(event) : undefined;
      yield { event, depth: 0, changes, access };
    }
  } finally {
    bar.end();
  }
}

async function* asTree(events: AsyncIterable<Shown>): AsyncGenerator<Shown> {
  const held = new Map<LoadedEvent, Shown>();
  for await (const shown of events) {
    if (held.size === maxTreeEvents)
      throw new Refusal(
        `These are more than ${maxTreeEvents} events: narrow them down, for instance with --from.`,
      );
    held.set(shown.event, shown);
  }
  for (const { event, depth } of causeTree([...held.keys()])) yield { ...held.get(event), event, depth };
}

async function* singly(events: AsyncIterable<Shown>): AsyncGenerator<readonly Shown[]> {
  for await (const event of events) yield [event];
}

interface Count {
  readonly type: string;
  count: number;
  readonly first: string;
  last: string;
}

const countSheet = (company: number | undefined): Sheet<Count> => ({
  head: { companyId: company },
  columns: ['Type', 'Count', 'First', 'Last'],
  cells: ({ type, count, first, last }) => [type, String(count), first, last],
  json: (row) => JSON.stringify(row),
});

async function* countsOf(events: AsyncIterable<Shown>): AsyncGenerator<readonly Count[]> {
  const counts = new Map<string, Count>();
  for await (const { event } of events) {
    const { name: type, metadata } = event;
    const { recordedAt: last } = metadata;
    const known = counts.get(type);
    if (known === undefined) counts.set(type, { type, count: 1, first: last, last });
    else Object.assign(known, { count: known.count + 1, last });
  }
  yield [...counts.values()].sort((one, other) => other.count - one.count);
}

function checkUse({ from = '', to = '~', counts, tree, employee, company }: LogOptions): void {
  if (from > to) throw new WrongUse('--from must not be after --to.');
  if (counts && tree) throw new WrongUse('Give --counts or --tree, not both.');
  if (employee !== undefined && company === undefined) throw new WrongUse('--employee needs --company.');
}

/** With `--json` the events are the elements of one object's `events`. */
export async function auditLog(io: CliIo, options: LogOptions): Promise<void> {
  checkUse(options);
  const format = formatOf(options);
  const { company, counts, tree } = options;
  await withLog(io, async (session) => {
    await requireCompany(session, company);
    const found = wantedEvents(session, options);
    const events = tree ? asTree(found) : found;
    if (counts) await writeSheet(io, format, countSheet(company), countsOf(found));
    else if (format !== 'table') await writeSheet(io, format, eventSheet(company), singly(events));
    else
      for await (const event of events) {
        await io.out(`${lineOf(event)}\n`);
        if (io.isOutClosed?.()) break;
      }
  });
}
