import { askProcesses, type FoundProcess, foundWholeAt, MOST_LAG, withoutBlank } from '@rollcall/host';
import { plain, readProof, recordedAtOf, readWork, type WaitingWork } from '@rollcall/application';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';
import { counted, importsWait, spanText } from '../situation/words.js';
import { readProjections } from './projections-status.js';

interface StatusOptions {
  readonly at?: readonly string[];
  readonly json?: boolean;
}

interface Status {
  readonly processes: readonly FoundProcess[];
  /** Null where the read models are missing or foreign. */
  readonly lagEvents: number | null;
  readonly work: WaitingWork | null;
  readonly proof: Proof;
  readonly needsPerson: readonly string[];
}

const LONG_MS = 900_000;

/** Null: never. */
const timeText = (ms = 0): string | null => (ms > 0 ? new Date(ms).toISOString() : null);

type Proof = Awaited<ReturnType<typeof proofOf>>;

/** `wholeAt`: when the projector, or `audit verify` on this data folder, last proved all of the log; null: not yet. */
async function proofOf(session: Session) {
  const proof = await readProof(session);
  const anchor = await session.log.readLast('anchors');
  return {
    wholeAt: timeText(await foundWholeAt(proof, session.config.adapters.dataDir)),
    verifiedTo: proof?.verifiedTo === undefined ? null : String(proof.verifiedTo),
    anchoredAt: timeText(anchor && recordedAtOf(anchor)),
    broken: (proof?.broken ?? []).map(({ stream, revision }) => `${stream}@${revision}`),
  };
}

const brokenProof = ({ broken }: Proof): string[] =>
  broken.length === 0 ? [] : [`The log is broken at ${broken.join(', ')}: see rollcall audit verify.`];

function proofText({ wholeAt, anchoredAt }: Proof, now: number): string {
  const ago = (at: string): string => `${spanText(Math.max(0, now - Date.parse(at)))} ago`;
  const whole = wholeAt === null ? 'the whole log was not proved yet' : `the whole log, ${ago(wholeAt)}`;
  return anchoredAt === null ? whole : `${whole}; anchored ${ago(anchoredAt)}`;
}

async function readStatus(session: Session, addresses: readonly string[]): Promise<Status> {
  const { readModels, clock, config } = session;
  const named = addresses.length > 0 ? addresses : config.processAddresses;
  const asked = await askProcesses(withoutBlank(session.io.env), named);
  const { processes } = asked;
  const proof = await proofOf(session);
  const { lag: lagEvents, parkedStreams } = await readProjections(session);
  if (lagEvents === null) {
    const unread = 'The read models cannot be read: see rollcall projections status.';
    const needsPerson = [...asked.needsPerson, ...brokenProof(proof), unread];
    return { processes, lagEvents, work: null, proof, needsPerson };
  }
  const work = await readWork(readModels, clock.now());
  const parked = parkedStreams.map(
    ({ stream, revision }) =>
      `${plain(stream)} has stopped at revision ${revision}: see rollcall projections status.`,
  );
  const needsPerson = [...asked.needsPerson, ...brokenProof(proof), ...parked, ...stalled(work)];
  return { processes, lagEvents, work, proof, needsPerson };
}

const stalled = ({ oldestImportMs, oldestInvitationMs, toApprove }: WaitingWork): string[] => [
  ...(toApprove > 0
    ? [
        `${counted(toApprove, 'import')} for somebody to approve or reject: see rollcall imports list --state held.`,
      ]
    : []),
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

const queueText = (work: WaitingWork): string => {
  const { imports, held } = work;
  const waiting = imports === 0 ? 'no import waits' : `${counted(imports, 'import')}, ${importsWait(work)}`;
  return held.length === 0
    ? waiting
    : `${waiting}; invitations held by ${held.map((id) => `company ${id}`).join(', ')}`;
};

const processText = ({ address, status, version, commit, problems }: FoundProcess): string => {
  const build = commit === null ? version : `${version} (${commit})`;
  return [address, status, build ?? '', problems.join('; ')].filter((text) => text !== '').join('  ');
};

const section = (name: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `${(index === 0 ? name : '').padEnd(14)}${line}`);

const linesOf = ({ processes, lagEvents, work, proof, needsPerson }: Status, now: number): string[] => [
  ...section('processes', processes.map(processText)),
  ...section('lag', [lagText(lagEvents)]),
  ...section('queue', work === null ? [] : [queueText(work)]),
  ...section('proof', [proofText(proof, now)]),
  ...section('needs you', needsPerson.length === 0 ? ['nothing'] : needsPerson),
];

/** One screen. A refusal where an operator is needed, for use in cron. */
const status = (io: CliIo, { at = [], json = false }: StatusOptions): Promise<void> =>
  withSession(io, async (session) => {
    const found = await readStatus(session, at);
    await answer(io, json, found, linesOf(found, session.clock.now()));
    const count = found.needsPerson.length;
    if (count > 0) throw new Refusal(`${counted(count, 'thing')} need${count === 1 ? 's' : ''} you.`);
  });

export function addCommands(command: Command, io: CliIo): void {
  command
    .option('--at <url...>', 'ask these processes, at PORT or METRICS_PORT', values.addresses)
    .json()
    .examples('rollcall status', 'rollcall status --at http://api:9464 http://worker:9464')
    .action((options: StatusOptions) => status(io, options));
}
