import { lagInEvents, MOST_LAG } from '@rollcall/adapters';
import { foreignReadModels, type ParkedStream, type Position } from '@rollcall/application';

import type { CliIo } from '../cli-io.js';
import { answer, plain, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';

const digits = (position: Position | undefined): string | null => position?.toString() ?? null;

async function readStatus({ log, readModels }: Session) {
  const progress = await readModels.progress();
  const { position } = progress;
  const last = await log.lastPosition();
  const foreign = await foreignReadModels(log, progress);
  const lag = foreign ? null : await lagInEvents(log, position, new AbortController().signal);
  const generations = (await readModels.generations()).map(({ at, position: reached, ...one }) => ({
    ...one,
    position: digits(reached),
    at: new Date(at).toISOString(),
  }));
  const parkedStreams = await readModels.parkedStreams();
  return {
    position: digits(position),
    logEnd: digits(last),
    lag,
    foreign: foreign?.message ?? null,
    parkedStreams,
    generations,
  };
}

type Status = Awaited<ReturnType<typeof readStatus>>;

export const brokenText = ({ stream, revision, problem }: ParkedStream): string =>
  `${plain(stream)} has stopped at revision ${revision}: ${plain(problem)}`;

const lagText = (lag: number | null): string => {
  if (lag === null) return 'they are not of this log';
  if (lag === 0) return 'up to date';
  return `${lag}${lag === MOST_LAG ? ' or more' : ''} event${lag === 1 ? '' : 's'} behind`;
};

const linesOf = ({ position, logEnd, lag, generations }: Status): string[] => [
  `The read models are at position ${position ?? 'none'}, the log ends at ${logEnd ?? 'none'}: ${lagText(lag)}.`,
  ...table(
    ['generation', 'status', 'position', 'since'],
    generations.map(({ name, status, position: reached, at }) => [name, status, reached ?? 'none', at]),
  ),
];

function problemsOf({ foreign, parkedStreams }: Status): string[] {
  return [...(foreign === null ? [] : [sentence(foreign)]), ...parkedStreams.map(brokenText)];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** A refusal where a stream has stopped, or the read models are not this log's. */
export const projectionsStatus = (io: CliIo, json: boolean): Promise<void> =>
  withSession(io, async (session) => {
    const status = await readStatus(session);
    const problems = problemsOf(status);
    await answer(io, json, status, linesOf(status));
    if (problems.length > 0) throw new Refusal(problems.join('\n'));
  });
