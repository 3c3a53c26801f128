import { lagInEvents, MOST_LAG } from '@rollcall/host';
import {
  foreignReadModels,
  type GenerationInfo,
  partsText,
  type ParkedStream,
  type Position,
  type Progress,
  plain,
} from '@rollcall/application';

import type { CliIo } from '../cli-io.js';
import { answer, table } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores, type StoresSession } from '../session.js';

const digits = (position: Position | undefined): string | null => position?.toString() ?? null;

const shown = ({ name, status, version, progress: { position }, at }: GenerationInfo) => ({
  name,
  status,
  version,
  position: digits(position),
  at: new Date(at).toISOString(),
});

const sharesIn = (progress: Progress | undefined) =>
  (progress?.shares ?? []).map(({ holder, parts, position }) => ({
    parts: partsText(parts),
    projector: holder,
    position: digits(position),
  }));

const NOT_THERE = { foreign: null, lag: null, parkedStreams: [] };

async function stateOf({ log, readModels }: StoresSession, progress: Progress) {
  const foreign = await foreignReadModels(log, progress);
  const { signal } = new AbortController();
  return {
    foreign: foreign?.message ?? null,
    lag: foreign ? null : await lagInEvents(log, progress.position, signal),
    parkedStreams: await readModels.parkedStreams(),
  };
}

/** `lag` is null where the read models are missing or foreign. */
export async function readProjections(session: StoresSession) {
  const known = await session.readModels.generations();
  const progress = known.find(({ status }) => status === 'live')?.progress;
  return {
    built: progress !== undefined,
    position: digits(progress?.position),
    logEnd: digits(await session.log.lastPosition()),
    ...(progress === undefined ? NOT_THERE : await stateOf(session, progress)),
    shares: sharesIn(progress),
    generations: known.map(shown),
  };
}

type Status = Awaited<ReturnType<typeof readProjections>>;

export const parkedText = ({ stream, revision, problem }: ParkedStream): string =>
  `${plain(stream)} has stopped at revision ${revision}: ${plain(problem)}`;

const lagText = (lag: number | null): string => {
  if (lag === null) return 'they are not of this log';
  if (lag === 0) return 'up to date';
  return `${lag}${lag === MOST_LAG ? ' or more' : ''} event${lag === 1 ? '' : 's'} behind`;
};

const headOf = ({ built, position, logEnd, lag }: Status): string =>
  built
    ? `The read models are at position ${position ?? 'none'}, the log ends at ${logEnd ?? 'none'}: ${lagText(lag)}.`
    : `This version has no read models that are complete; the log ends at ${logEnd ?? 'none'}.`;

const sharesTable = ({ shares }: Pick<Status, 'shares'>): string[] => {
  const rows = shares.map(({ parts, projector, position }) => [
    ...[parts === '' ? 'none yet' : parts, projector ?? 'nobody', position ?? 'none'],
  ]);
  return rows.length === 0 ? [] : table(['parts', 'projector', 'position'], rows);
};

const linesOf = (status: Status): string[] => [
  headOf(status),
  ...sharesTable(status),
  ...table(
    ['generation', 'status', 'position', 'since'],
    status.generations.map(({ name, status: is, position, at }) => [name, is, position ?? 'none', at]),
  ),
];

const NOT_BUILT =
  'The read models of this version are not built: a projector of this version builds them, and so does ' +
  'rollcall projections rebuild.';

function problemsOf({ built, foreign, parkedStreams }: Status): string[] {
  return [
    ...(built ? [] : [NOT_BUILT]),
    ...(foreign === null ? [] : [sentence(foreign)]),
    ...parkedStreams.map(parkedText),
  ];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** A refusal where a stream is parked, or the read models are missing or foreign. */
export const projectionsStatus = (io: CliIo, json: boolean): Promise<void> =>
  withStores(io, async (session) => {
    const status = await readProjections(session);
    const problems = problemsOf(status);
    await answer(io, json, status, linesOf(status));
    if (problems.length > 0) throw new Refusal(problems.join('\n'));
  });
