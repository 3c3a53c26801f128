import { describeDifference, verifyReadModels, type ReadModelsVerdict } from '@rollcall/projector';
import { installationKeys, recordVerified } from '@rollcall/host';
import { KeysUnusable, StoreDamaged } from '@rollcall/adapters';
import {
  EventLogUnavailable,
  AnchorCheck,
  type AnchorsVerdict,
  isOutage,
  lostEvents,
  type NamedAnchor,
  lastProjected,
  problemOf,
  type Position,
  readModelCollections,
  ReadModelsUnavailable,
  throughOutages,
  verifyCompanies,
  verifyLog,
  type CompaniesVerdict,
  type DamagedStream,
  type LogVerdict,
} from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';

import type { CliIo } from '../cli-io.js';
import { anchorsIn, publicAnchorKeys, type KeysOption } from './audit-anchor.js';
import { readConfig } from '../config.js';
import { answer, causeText, isOfSystem } from '../output.js';
import { progressBar, withBar } from '../progress-bar.js';
import { NotChecked, Refusal } from '../refusal.js';
import { withLog, type LogSession } from '../log-session.js';
import { type StoresSession, withStores } from '../session.js';
import { counted } from '../situation/words.js';
import { verifyBeside, type VerifyBeside } from './verify-beside.js';

interface Finding {
  readonly ok: boolean;
  readonly text: string;
  readonly counts: Partial<Counts>;
}

type Counts = Record<'events' | 'streams' | 'pieces' | 'companies' | 'documents', number>;

const well = (text: string, counts: Partial<Counts>): Finding => ({ ok: true, text, counts });
const wrong = (text: string): Finding => ({ ok: false, text, counts: {} });

const brokenLog = (broken: readonly DamagedStream[]): string =>
  broken
    .map(({ stream, revision, problem }) => `The log is broken at ${stream}@${revision}: ${problem}`)
    .join('\n');

function logFinding(verdict: LogVerdict): Finding {
  const notices = verdict.notices.map(({ stream, problem }) => `\nNotice: ${stream}: ${problem}.`).join('');
  if (verdict.kind === 'broken') return wrong(brokenLog(verdict.broken) + notices);
  const { events, streams, chunks } = verdict;
  const what = `${counted(events, 'event')} and ${counted(chunks, 'chunk')} of large data`;
  const text = `The log is whole: ${what} in ${counted(streams, 'stream')}.${notices}`;
  return well(text, { events, streams, pieces: chunks });
}

function anchorsFinding(verdict: AnchorsVerdict, lost: readonly string[]): Finding {
  const notices = verdict.notices.map((notice) => `\nNotice: ${notice}.`).join('');
  if (verdict.problems.length > 0) return wrong([...verdict.problems, ...lost].join('\n') + notices);
  return well(ownText(verdict) + outsideText(verdict) + notices, {});
}

const ownText = ({ own, newestOwn }: AnchorsVerdict): string =>
  newestOwn === undefined
    ? 'The log has no anchors of its own. '
    : `The log's own anchors fit (${own}), the newest of ${newestOwn.time}. `;

/** Says what the check cannot show. */
function outsideText({ outside, events }: AnchorsVerdict): string {
  const newest = outside.at(-1);
  if (newest === undefined)
    return 'Whether its end was cut off cannot be shown without an anchor that was kept elsewhere (--anchor FILE).';
  return (
    `By the anchor of ${newest.time} nothing is missing or changed among the first ${counted(newest.events, 'event')}. ` +
    `Whether any were cut off behind the ${counted(events - newest.events, 'later one')} cannot be shown.`
  );
}

function companiesFinding(verdict: CompaniesVerdict): Finding {
  if (verdict.kind === 'broken') return wrong(brokenLog([verdict]));
  const { companies } = verdict;
  const text =
    companies === 1
      ? 'The set of 1 company is what its digest says.'
      : `The sets of ${companies} companies are what their digests say.`;
  return well(text, { companies });
}

const reaches = (position: Position | undefined, last: Position | undefined): boolean =>
  last === undefined || (position ?? -1n) >= last;

function readModelsFinding(verdict: ReadModelsVerdict, last: Position | undefined): Finding {
  switch (verdict.kind) {
    case 'same': {
      const behind = reaches(verdict.position, last) ? '' : ', as far as they are projected';
      const { documents } = verdict;
      return well(`The read models are what the log says${behind}: ${counted(documents, 'document')}.`, {
        documents,
      });
    }
    case 'different':
      return wrong(`The read models differ from the log: ${describeDifference(verdict.difference)}`);
    case 'parked-stream': {
      const { stream, revision, problem } = verdict.broken;
      return wrong(`The read models stop at ${stream}@${revision}: ${problem}`);
    }
    case 'foreign':
      return wrong(`The read models cannot be compared: ${verdict.problem}.`);
    default:
      return verdict satisfies never;
  }
}

type Part = 'log' | 'anchors' | 'companies' | 'readModels';

/** The log first: read models of a damaged log prove nothing. */
async function* findings(session: LogSession, options: Verifying): AsyncIterable<readonly [Part, Finding]> {
  const beside = hasReadModels(session) ? await verifyBeside(session) : undefined;
  try {
    const { log, anchors } = await verifiedLog(session, options);
    yield ['log', log];
    yield ['anchors', anchors];
    if (!log.ok || !anchors.ok) return;
    const companies = await verifiedCompanies(session);
    yield ['companies', companies];
    if (!companies.ok) return;
    const readModels = hasReadModels(session)
      ? await verifiedReadModels(session, beside)
      : well('Read models are not compared where the log is only read.', {});
    yield ['readModels', readModels];
  } finally {
    await beside?.close();
  }
}

async function verifiedLog(
  session: LogSession,
  options: Verifying,
): Promise<Record<'log' | 'anchors', Finding>> {
  const { log, io } = session;
  const check = await throughOutages(() => AnchorCheck.open(log, options));
  const verdict = await withBar(progressBar(io, await log.lastPosition()), (onVerified) =>
    verifyLog(log, { onVerified, onEvent: (event) => check.take(event) }),
  );
  const anchors = check.end();
  // An anchor names no stream.
  const lost =
    anchors.problems.length === 0 || !hasReadModels(session) ? [] : await lostEvents(log, session.readModels);
  return { log: logFinding(verdict), anchors: anchorsFinding(anchors, lost) };
}

async function verifiedCompanies({ log, config, io }: LogSession): Promise<Finding> {
  const last = (await log.lastPosition()) ?? 0n;
  const bar = progressBar(io, 0n, 'of the companies');
  try {
    const { digestKey } = await installationKeys(log, config.keyFolder);
    const verifying = verifyCompanies(log, new Digester(digestKey), ({ companies, of, position }) =>
      bar.show(BigInt(companies) * last + position, BigInt(of) * last),
    );
    return companiesFinding(await verifying.finally(bar.end));
  } catch (error) {
    if (!(error instanceof KeysUnusable)) throw error;
    return wrong(error.message);
  }
}

type WithReadModels = LogSession & Pick<StoresSession, 'readModels'>;

const hasReadModels = (session: LogSession): session is WithReadModels => session.readModels !== undefined;

async function verifiedReadModels(
  { log, readModels, io, config }: WithReadModels,
  beside: VerifyBeside | undefined,
): Promise<Finding> {
  const last = await log.lastPosition();
  const rebuilt = progressBar(io, last, 'of the read models, rebuilt');
  const compared = progressBar(io, BigInt(readModelCollections.length), 'of the read models, compared');
  const show = (collection: bigint): void => {
    rebuilt.end();
    compared.show(collection);
  };
  try {
    const found = await beside?.verdict((read, collection) =>
      collection === 0n ? rebuilt.show(read) : show(collection),
    );
    const verdict =
      found ??
      (await verifyReadModels({
        ...{ log, readModels, callTerm: config.callTerm, clock: io.clock },
        onRead: (position) => rebuilt.show(position),
        onCompared: (collection) => show(BigInt(collection)),
      }));
    return readModelsFinding(verdict, await lastProjected(log));
  } finally {
    rebuilt.end();
    compared.end();
  }
}

/** For the metrics of processes on this data folder; a failure here changes no finding. */
async function noteVerified(session: LogSession): Promise<void> {
  if (!hasReadModels(session)) return;
  const { io, config } = session;
  try {
    await recordVerified(config.adapters.dataDir, io.clock.now());
  } catch (error) {
    io.err(`The time of this check could not be noted for the metrics: ${causeText(error)}\n`);
  }
}

type Report = Record<Part, string | null> & { readonly counts: Record<keyof Counts, number | null> };

const emptyReport = (): Report => ({
  log: null,
  anchors: null,
  companies: null,
  readModels: null,
  counts: { events: null, streams: null, pieces: null, companies: null, documents: null },
});

export interface VerifyOptions extends KeysOption {
  readonly json?: boolean;
  /** Files of anchors that were kept elsewhere. */
  readonly anchor?: readonly string[];
}

/** Prints findings part by part and stops at the first problem. `NotChecked` in a lasting outage. */
export async function auditVerify(io: CliIo, options: VerifyOptions): Promise<void> {
  const { json = false, anchor = [] } = options;
  const outside = await anchorsIn(anchor);
  const keys = await publicAnchorKeys(readConfig(io.env), options).catch((error: unknown) => {
    throw isOfSystem(error) ? new NotChecked(`The keys of anchors cannot be read: ${error.message}`) : error;
  });
  const report = emptyReport();
  try {
    await withLog(
      io,
      (session) => verify(session, report, { json, outside, keys, areKeysGiven: options.keys !== undefined }),
      (...given) => withStores(...given, { readAll: true }),
    );
  } catch (error) {
    if (!isOutage(error)) throw error;
    if (error.cause instanceof StoreDamaged) throw await damaged(io, error, { report, json });
    const notChecked = `The rest could not be checked, and nothing is known to be broken: ${problemOf(error)}`;
    if (json) await answer(io, json, { ok: null, notChecked, ...report }, []);
    throw new NotChecked(notChecked);
  }
}

interface Verifying {
  readonly json: boolean;
  readonly outside: readonly NamedAnchor[];
  readonly keys: ReadonlyMap<string, string>;
  readonly areKeysGiven: boolean;
}

async function verify(session: LogSession, report: Report, options: Verifying): Promise<void> {
  const { io } = session;
  const { json } = options;
  const failed: string[] = [];
  for await (const [part, { ok, text, counts }] of findings(session, options)) {
    report[part] = text;
    Object.assign(report.counts, counts);
    if (!ok) failed.push(text);
    else if (!json && failed.length === 0) await io.out(`${text}\n`);
  }
  if (json) await answer(io, json, { ok: failed.length === 0, notChecked: null, ...report }, []);
  if (failed.length > 0) throw new Refusal(failed.join('\n'));
  await noteVerified(session);
}

/** An unreadable file is a finding: waiting does not repair it. */
async function damaged(
  io: CliIo,
  error: Error,
  { report, json }: { readonly report: Report; readonly json: boolean },
): Promise<Refusal> {
  if (error instanceof EventLogUnavailable) report.log = error.message;
  if (error instanceof ReadModelsUnavailable) report.readModels = error.message;
  if (json) await answer(io, json, { ok: false, notChecked: null, ...report }, []);
  return new Refusal(error.message);
}
