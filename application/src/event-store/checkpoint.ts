import { readInstallation } from '../installation/installation.js';
import {
  LogCorrupt,
  type DamageFinder,
  type EventReader,
  type RecordedEvent,
  type SeenEvent,
} from '../ports/event-log.js';
import { damageOf } from './stream-damage.js';
import { ForeignReadModels, type LastProjected, type Progress } from '../ports/read-models.js';
import { splitMetadata } from './chain.js';

/** How the last projected event is known again; undefined where it carries no chain value. */
export function lastProjectedOf(
  event: RecordedEvent,
): Pick<LastProjected, 'stream' | 'revision' | 'chain'> | undefined {
  const chain = splitMetadata(event.metadata)?.chain;
  return chain === undefined ? undefined : { stream: event.stream, revision: event.revision, chain };
}

/**
 * Why read models with this checkpoint may not be followed by the log's events; undefined where they may. They know events
 * that the log does not hold, or were made from another log, or from this one before it was restored.
 */
export async function foreignReadModels(
  log: EventReader & DamageFinder,
  { position, last }: Progress,
): Promise<ForeignReadModels | undefined> {
  if (position === undefined && last === undefined) return undefined;
  const end = await log.lastPosition();
  if (position !== undefined && (end === undefined || end < position))
    return ForeignReadModels.because('ahead');
  return last === undefined || (await isInLog(log, last)) ? undefined : ForeignReadModels.because('other');
}

async function isInLog(log: EventReader & DamageFinder, last: LastProjected): Promise<boolean> {
  const installation = await readInstallation(log);
  if (last.installationId !== null && installation?.installationId !== last.installationId) return false;
  // Of a stream that others have shortened or deleted nothing can be told; its damage has its own words.
  return (await isInStream(log, last)) || (await damageOf(log, last.stream)) !== undefined;
}

/** Whether the log holds that very event; false where the stream is damaged. The log's errors where that cannot be told. */
export async function isInStream(log: Pick<EventReader, 'readStream'>, seen: SeenEvent): Promise<boolean> {
  try {
    for await (const event of log.readStream(seen.stream, { from: seen.revision, limit: 1 }))
      return 'id' in seen ? event.id === seen.id : lastProjectedOf(event)?.chain === seen.chain;
    return false;
  } catch (error) {
    if (error instanceof LogCorrupt) return false;
    throw error;
  }
}
