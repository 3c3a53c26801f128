import type { EventReader, Position } from '../ports/event-log.js';

/** Nobody reads models from the chunks of large data: how the names of their streams begin. */
export const notProjected = ['data-', 'payload-'] as const;

/** Whether it is one of theirs, which the sweeper deletes; no other stream ever is. */
export const isSwept = (stream: string): boolean => notProjected.some((begin) => stream.startsWith(begin));

/** The position of the last event that read models are made from. Behind it there may be chunks of large data. */
export const lastProjected = (log: Pick<EventReader, 'lastPosition'>): Promise<Position | undefined> =>
  log.lastPosition({ withoutStreams: notProjected });
