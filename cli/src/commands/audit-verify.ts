import {
  collections,
  projections,
  describeDifference,
  verifyReadModels,
  type ReadModelsVerdict,
} from '@rollcall/projector';
import { type Position, verifyLog, type LogVerdict } from '@rollcall/application';

import type { CliIo } from '../cli-io.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';

interface Finding {
  readonly ok: boolean;
  /** What was found, in words. */
  readonly text: string;
}

const well = (text: string): Finding => ({ ok: true, text });
const wrong = (text: string): Finding => ({ ok: false, text });

function logFinding(verdict: LogVerdict): Finding {
  if (verdict.kind === 'broken')
    return wrong(`The log is broken at ${verdict.stream}@${verdict.revision}: ${verdict.problem}`);
  const { events, streams, pieces } = verdict;
  return well(`The log is whole: ${events} events and ${pieces} staged pieces in ${streams} streams.`);
}

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

/** The log first: read models that are rebuilt from a broken log would prove nothing. */
async function* findings({
  log,
  readModels,
}: Session): AsyncIterable<readonly ['log' | 'readModels', Finding]> {
  const found = logFinding(await verifyLog(log));
  yield ['log', found];
  if (!found.ok) return;
  const verdict = await verifyReadModels({ log, readModels, projections, collections });
  yield ['readModels', readModelsFinding(verdict, await log.lastPosition())];
}

export const auditVerify = (io: CliIo, { json = false }: { json?: boolean }): Promise<void> =>
  withSession(io, async (session) => {
    const report: Record<'log' | 'readModels', string | null> = { log: null, readModels: null };
    let failed: string | undefined;
    for await (const [part, { ok, text }] of findings(session)) {
      report[part] = text;
      if (!ok) failed = text;
      else if (!json) await io.out(`${text}\n`);
    }
    if (json) await answer(io, json, { ok: failed === undefined, ...report }, []);
    if (failed !== undefined) throw new Refusal(failed);
  });
