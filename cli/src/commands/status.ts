import { lagInEvents, MOST_LAG } from '@rollcall/adapters';
import { foreignReadModels, type EventLog, type ReadModels } from '@rollcall/application';
import type { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { examples } from '../help.js';
import * as values from '../options/values.js';
import { answer, plain } from '../output.js';
import { withSession, type Session } from '../session.js';
import { askedProcesses, type FoundProcess } from '../situation/processes.js';
import { counted, spanText } from '../situation/words.js';
import { readWork, type WaitingWork } from '../situation/work.js';

interface StatusOptions {
  readonly at?: readonly string[];
  readonly json?: boolean;
}

interface Status {
  readonly processes: readonly FoundProcess[];
  /** Null where the read models are not built, or not this log's. */
  readonly lagEvents: number | null;
  readonly work: WaitingWork | null;
  readonly needsPerson: readonly string[];
}

const LONG_MS = 900_000;

async function lagOf(log: EventLog, readModels: ReadModels): Promise<number | null> {
  const live = (await readModels.generations()).find(({ status }) => status === 'live');
  if (live === undefined || (await foreignReadModels(log, live.progress)) !== undefined) return null;
  return lagInEvents(log, live.progress.position, new AbortController().signal);
}

async function readStatus(session: Session, addresses: readonly string[]): Promise<Status> {
  const { log, readModels, clock } = session;
  const processes = await askedProcesses(session.io.env, addresses);
  const lagEvents = await lagOf(log, readModels);
  if (lagEvents === null) {
    const needsPerson = ['The read models cannot be read: see rollcall projections status.'];
    return { processes, lagEvents, work: null, needsPerson };
  }
  const work = await readWork(readModels, clock.now());
  const parked = (await readModels.parkedStreams()).map(
    ({ stream, revision }) =>
      `${plain(stream)} has stopped at revision ${revision}: see rollcall projections status.`,
  );
  const down = processes.filter(({ isAsked, status }) => isAsked && status !== 'ok');
  const needsPerson = [
    ...down.map(({ address, status, problems }) => `${address}: ${status}: ${problems.join('; ')}.`),
    ...parked,
    ...stalled(work),
  ];
  return { processes, lagEvents, work, needsPerson };
}

const stalled = ({ oldestImportMs, oldestInvitationMs }: WaitingWork): string[] => [
  ...(oldestImportMs > LONG_MS
    ? [`An import has waited for ${spanText(oldestImportMs)}: see rollcall imports list --state pending.`]
    : []),
  ...(oldestInvitationMs > LONG_MS
    ? [`An invitation has been due for ${spanText(oldestInvitationMs)}: see whether a worker runs.`]
    : []),
];

const lagText = (lag: number | null): string => {
  if (lag === null) return 'no read models of this log';
  return lag === 0 ? 'none' : `${lag === MOST_LAG ? 'at least ' : ''}${counted(lag, 'event')}`;
};

const queueText = ({ imports, oldestImportMs, held }: WaitingWork): string => {
  const waiting =
    imports === 0
      ? 'no import waits'
      : `${counted(imports, 'import')}, the oldest for ${spanText(oldestImportMs)}`;
  return held.length === 0
    ? waiting
    : `${waiting}; invitations held by ${held.map((id) => `company ${id}`).join(', ')}`;
};

const processText = ({ address, status, version, problems }: FoundProcess): string =>
  `${address}  ${status}${version === null ? '' : `  ${version}`}${problems.length === 0 ? '' : `  ${problems.join('; ')}`}`;

/** The first line of a list carries its name, the others stand below it. */
const section = (name: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `${(index === 0 ? name : '').padEnd(14)}${line}`);

const linesOf = ({ processes, lagEvents, work, needsPerson }: Status): string[] => [
  ...section('processes', processes.map(processText)),
  ...section('lag', [lagText(lagEvents)]),
  ...section('queue', work === null ? [] : [queueText(work)]),
  ...section('needs you', needsPerson.length === 0 ? ['nothing'] : needsPerson),
];

/** One screen. What is found is no refusal: whoever wants an exit code asks the doctor. */
const status = (io: CliIo, { at = [], json = false }: StatusOptions): Promise<void> =>
  withSession(io, async (session) => {
    const found = await readStatus(session, at);
    await answer(io, json, found, linesOf(found));
  });

/** `rollcall status`. */
export function addStatusCommand(command: Command, io: CliIo): void {
  command
    .option('--at <url...>', 'ask these processes too, at PORT or METRICS_PORT', values.addresses)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples('rollcall status', 'rollcall status --at http://api:9464 http://worker:9464'),
    )
    .action((options: StatusOptions) => status(io, options));
}
