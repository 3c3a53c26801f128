import { describeDifference, verifyReadModels, type ReadModelsVerdict } from '@rollcall/projector';
import { installationKeys, KeysUnusable, recordVerified } from '@rollcall/adapters';
import {
  isOutage,
  problemOf,
  type Position,
  readModelCollections,
  verifyCompanies,
  verifyLog,
  type CompaniesVerdict,
  type LogVerdict,
} from '@rollcall/application';
import { Digester } from '@rollcall/domain';

import type { CliIo } from '../cli-io.js';
import { answer } from '../output.js';
import { progressBar, type ProgressBar } from '../progress-bar.js';
import { NotChecked, Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';

interface Finding {
  readonly ok: boolean;
  /** What was found, in words. */
  readonly text: string;
}

const well = (text: string): Finding => ({ ok: true, text });
const wrong = (text: string): Finding => ({ ok: false, text });

const brokenLog = ({ stream, revision, problem }: Extract<LogVerdict, { kind: 'broken' }>): Finding =>
  wrong(`The log is broken at ${stream}@${revision}: ${problem}`);

function logFinding(verdict: LogVerdict): Finding {
  if (verdict.kind === 'broken') return brokenLog(verdict);
  const { events, streams, pieces, notices } = verdict;
  const told = notices.map(({ stream, problem }) => `\nNotice: ${stream}: ${problem}.`);
  return well(
    `The log is whole: ${events} events and ${pieces} staged pieces in ${streams} streams. ` +
      `Whether its newest events were cut off cannot be shown.${told.join('')}`,
  );
}

const companiesFinding = (verdict: CompaniesVerdict): Finding =>
  verdict.kind === 'broken'
    ? brokenLog(verdict)
    : well(`The sets of ${verdict.companies} companies are what their digests say.`);

function readModelsFinding(verdict: ReadModelsVerdict, last: Position | undefined): Finding {
  switch (verdict.kind) {
    case 'same': {
      const behind = verdict.position === last ? '' : ', as far as they are projected';
      return well(`The read models are what the log says${behind}: ${verdict.documents} documents.`);
    }
    case 'different':
      return wrong(`The read models differ from the log: ${describeDifference(verdict.difference)}`);
    case 'broken-stream': {
      const { stream, revision, problem } = verdict.broken;
      return wrong(`The read models stop at ${stream}@${revision}: ${problem}`);
    }
    case 'foreign':
      return wrong(`The read models cannot be compared: ${verdict.problem}.`);
    default:
      return verdict satisfies never;
  }
}

type Part = 'log' | 'companies' | 'readModels';

/** The log first: what is made from a broken log would prove nothing. */
async function* findings(session: Session): AsyncIterable<readonly [Part, Finding]> {
  const found = await verifiedLog(session);
  yield ['log', found];
  if (!found.ok) return;
  const companies = await verifiedCompanies(session);
  yield ['companies', companies];
  if (!companies.ok) return;
  yield ['readModels', await verifiedReadModels(session)];
}

async function verifiedLog({ log, io }: Session): Promise<Finding> {
  const bar = progressBar(io, await log.lastPosition());
  try {
    return logFinding(await verifyLog(log, { onVerified: (position) => bar.show(position) }));
  } finally {
    bar.end();
  }
}

async function verifiedCompanies({ log, config, io }: Session): Promise<Finding> {
  const last = (await log.lastPosition()) ?? 0n;
  let bar: ProgressBar | undefined;
  try {
    const { digestKey } = await installationKeys(log, config.keyFolder);
    const verdict = await verifyCompanies(log, new Digester(digestKey), ({ companies, of, position }) => {
      bar ??= progressBar(io, BigInt(of) * last, 'of the companies');
      bar.show(BigInt(companies) * last + position);
    });
    return companiesFinding(verdict);
  } catch (error) {
    if (!(error instanceof KeysUnusable)) throw error;
    return wrong(error.message);
  } finally {
    bar?.end();
  }
}

async function verifiedReadModels({ log, readModels, io }: Session): Promise<Finding> {
  const last = await log.lastPosition();
  const rebuilt = progressBar(io, last, 'of the read models, rebuilt');
  const compared = progressBar(io, BigInt(readModelCollections.length), 'of the read models, compared');
  try {
    const verdict = await verifyReadModels({
      log,
      readModels,
      onApplied: (position) => rebuilt.show(position),
      onCompared: (collection) => {
        rebuilt.end();
        compared.show(BigInt(collection));
      },
    });
    return readModelsFinding(verdict, await log.lastPosition());
  } finally {
    rebuilt.end();
    compared.end();
  }
}

/** For the metrics of the processes on this data folder; that it cannot be noted makes nothing less whole. */
async function noteVerified({ io, config }: Session): Promise<void> {
  try {
    await recordVerified(config.adapters.dataDir, io.clock.now());
  } catch (error) {
    io.err(`The time of this check could not be noted for the metrics: ${problemOf(error)}\n`);
  }
}

type Report = Record<Part, string | null>;

/** What was found, part by part; the first one that is wrong ends it. `NotChecked` where a store is away for too long. */
export async function auditVerify(io: CliIo, { json = false }: { json?: boolean }): Promise<void> {
  const report: Report = { log: null, companies: null, readModels: null };
  try {
    await withSession(io, async (session) => {
      let failed: string | undefined;
      for await (const [part, { ok, text }] of findings(session)) {
        report[part] = text;
        if (!ok) failed = text;
        else if (!json) await io.out(`${text}\n`);
      }
      if (json) await answer(io, json, { ok: failed === undefined, notChecked: null, ...report }, []);
      if (failed !== undefined) throw new Refusal(failed);
      await noteVerified(session);
    });
  } catch (error) {
    if (!isOutage(error)) throw error;
    const notChecked = `The rest could not be checked, and nothing is known to be broken: ${problemOf(error)}`;
    if (json) await answer(io, json, { ok: null, notChecked, ...report }, []);
    throw new NotChecked(notChecked);
  }
}
