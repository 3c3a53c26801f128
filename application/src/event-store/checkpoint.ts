import { readInstallation } from '../installation/installation.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
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
  log: EventReader,
  { position, last }: Progress,
): Promise<ForeignReadModels | undefined> {
  if (position === undefined && last === undefined) return undefined;
  const end = await log.lastPosition();
  if (position !== undefined && (end === undefined || end < position))
    return ForeignReadModels.because('ahead');
  return last === undefined || (await isInLog(log, last)) ? undefined : ForeignReadModels.because('other');
}

async function isInLog(log: EventReader, last: LastProjected): Promise<boolean> {
  const installation = await readInstallation(log);
  if (last.installationId !== null && installation?.installationId !== last.installationId) return false;
  for await (const event of log.readStream(last.stream, { from: last.revision, limit: 1 }))
    return lastProjectedOf(event)?.chain === last.chain;
  return false;
}
