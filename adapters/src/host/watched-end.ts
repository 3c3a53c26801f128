import { isInStream, LogWentBack, type Position, type ReadableEventLog } from '@rollcall/application/read';

const NOTHING = -1n;

/** What another event log of the process, in a thread, has found: the log is not the one that it knew. */
export interface LostLog {
  error?: LogWentBack | undefined;
}

/**
 * The same log, whose last position is compared with what was answered before: `LogWentBack` where it is an earlier one, and
 * where another log of the process has found that, until the event that it missed is seen: it asked a server that led no
 * more. For a whole process: all that it has in memory may be of events that are no more.
 */
export function withWatchedEnd<L extends Pick<ReadableEventLog, 'lastPosition' | 'readStream'>>(
  log: L,
  lost: LostLog = {},
): L {
  let furthest = NOTHING;
  const compare = (before: Position, position: Position = NOTHING): void => {
    if (position < before) throw LogWentBack.of('the last events');
    if (position > furthest) furthest = position;
  };
  const seeAgain = async (error: LogWentBack): Promise<void> => {
    if (error.missing === undefined || !(await isInStream(log, error.missing))) throw error;
    if (lost.error === error) lost.error = undefined;
  };
  const lastPosition: ReadableEventLog['lastPosition'] = async (options = {}) => {
    if (lost.error !== undefined) await seeAgain(lost.error);
    const before = furthest;
    const position = await log.lastPosition(options);
    const isOfAll = (options.withoutStreams ?? []).length === 0;
    if (isOfAll) compare(before, position);
    return position;
  };
  return { ...log, lastPosition };
}
