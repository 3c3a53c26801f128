import type { EventReader, Position } from '../ports/event-log.js';

/** Families of chunks. */
export const chunkStreams = ['data-', 'payload-'] as const;

/** Families that no projection needs: chunks, and who looked. */
export const notProjected = [...chunkStreams, 'reads-', 'refusals-'] as const;

/** Whether the sweeper deletes such streams; it deletes no others. */
export const isSwept = (stream: string): boolean => chunkStreams.some((begin) => stream.startsWith(begin));

/** The position of the last projected event. Chunks may follow it. */
export const lastProjected = (log: Pick<EventReader, 'lastPosition'>): Promise<Position | undefined> =>
  log.lastPosition({ withoutStreams: notProjected });
