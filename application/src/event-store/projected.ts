import type { EventReader, Position } from '../ports/event-log.js';

export const notProjected = ['data-', 'payload-'] as const;

/** Whether the sweeper deletes such streams; it deletes no others. */
export const isSwept = (stream: string): boolean => notProjected.some((begin) => stream.startsWith(begin));

/** The position of the last projected event. Chunks may follow it. */
export const lastProjected = (log: Pick<EventReader, 'lastPosition'>): Promise<Position | undefined> =>
  log.lastPosition({ withoutStreams: notProjected });
