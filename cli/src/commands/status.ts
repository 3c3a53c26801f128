import { askProcesses, type FoundProcess, foundWholeAt, MOST_LAG, withoutBlank } from '@rollcall/host';
import {
  failingWebhooks,
  InvitationsSnapshot,
  plain,
  readProof,
  recordedAtOf,
  readWork,
  type WaitingWork,
  WebhookStates,
} from '@rollcall/application';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';
import { counted, importsWait, oldAfterMs, spanText } from '../situation/words.js';
import { readProjections } from './projections-status.js';

interface StatusOptions {
  readonly at?: readonly string[];
  readonly json?: boolean;
}

/** Null: never. */
const timeText = (ms = 0): string | null => (ms > 0 ? new Date(ms).toISOString() : null);

type Proof = Awaited<ReturnType<typeof proofOf>>;

/** `wholeAt`: when the projector, or `audit verify` on this data folder, last proved all of the log; null: not yet. */
async function proofOf(session: StoresSession) {
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

type Status = Awaited<ReturnType<typeof readStatus>>;

/** `lagEvents` and `work`: null where the read models are missing or foreign. */
async function readStatus(session: StoresSession, addresses: readonly string[]) {
  const named = addresses.length > 0 ? addresses : session.config.processAddresses;
  const { processes, needsPerson } = await askProcesses(withoutBlank(session.io.env), named);
  const proof = await proofOf(session);
  const { lag: lagEvents, parkedStreams } = await readProjections(session);
  const open = await InvitationsSnapshot.load(session, Infinity);
  const work = lagEvents === null ? null : await readWork(session.readModels, session.clock.now(), open);
  const parked = parkedStreams.map(
    ({ stream, revision }) =>
      `${plain(stream)} has stopped at revision ${revision}: see rollcall projections status.`,
  );
  const unread = 'The read models cannot be read: see rollcall projections status.';
  const waiting = work === null ? [unread] : [...parked, ...stalled(work)];
  // One damaged stream hides no other need.
  const damaged = 'The states of webhooks cannot be read: see rollcall doctor.';
  const own = [...brokenProof(proof), ...(await webhookNeeds(session).catch(() => [damaged])), ...waiting];
  return { processes, lagEvents, work, proof, needsPerson: [...needsPerson, ...own] };
}

/** One that is retried for a shorter time may come back by itself. */
async function webhookNeeds(session: StoresSession): Promise<string[]> {
  const states = new WebhookStates(session);
  const failing = await failingWebhooks(session.log, states);
  await states.settled();
  const since = session.clock.now() - oldAfterMs.webhooks;
  return failing
    .filter(({ webhook: { deferred } }) => deferred === null || Date.parse(deferred.since) < since)
    .map(
      ({ companyId, webhook: { webhookId, status } }) =>
        `Webhook ${webhookId} of company ${companyId} ${status === 'disabled' ? 'is disabled' : 'accepts nothing'}: see rollcall webhook deliveries --company ${companyId}.`,
    );
}

const stalled = ({ oldestImportMs, oldestInvitationMs, toApprove }: WaitingWork): string[] =>
  [
    toApprove > 0 &&
      `${counted(toApprove, 'import')} for somebody to approve or reject: see rollcall imports list --state held.`,
    oldestImportMs > oldAfterMs.imports &&
      `An import has waited for ${spanText(oldestImportMs)}: see rollcall imports list --state pending.`,
    oldestInvitationMs > oldAfterMs.invitations &&
      `An invitation has been due for ${spanText(oldestInvitationMs)}: see a worker's log, INVITATION_RATE.`,
  ].filter((line) => line !== false);

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
  withStores(io, async (session) => {
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
