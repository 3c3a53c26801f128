import { readInstallation } from './installation.js';
import {
  LogCorrupt,
  type DamageFinder,
  type EventReader,
  type Position,
  type RecordedEvent,
  type SeenEvent,
  damageOf,
} from '../ports/event-log.js';
import { ForeignReadModels, type LastProjected, type Progress } from '../ports/read-models.js';
import { furthest } from '../read-models/shares.js';
import { storedChain } from '../event-store/linked-events.js';

export function lastProjectedOf(
  event: RecordedEvent,
): Pick<LastProjected, 'stream' | 'revision' | 'chain'> | undefined {
  const chain = storedChain(event.metadata);
  return chain === undefined ? undefined : { stream: event.stream, revision: event.revision, chain };
}

/** Why read models with this checkpoint belong to another or a restored log; undefined where they fit. */
export async function foreignReadModels(
  log: EventReader & DamageFinder,
  progress: Progress,
): Promise<ForeignReadModels | undefined> {
  const { last, copied } = progress;
  const position = furthest(progress);
  if (await isAhead(log, position)) return ForeignReadModels.because('ahead');
  // A moved log gives its events other positions.
  const isReached = (at: Position): boolean => position === undefined || at <= position;
  if (last !== undefined && !(await isInLog(log, last, isReached))) return ForeignReadModels.because('other');
  if (copied?.last !== undefined && !(await isInLog(log, copied.last)))
    return ForeignReadModels.because('other');
  return undefined;
}

async function isAhead(log: EventReader, position: Position | undefined): Promise<boolean> {
  if (position === undefined) return false;
  const end = await log.lastPosition();
  return end === undefined || end < position;
}

async function isInLog(
  log: EventReader & DamageFinder,
  last: LastProjected,
  isItsPosition?: (position: Position) => boolean,
): Promise<boolean> {
  const installation = await readInstallation(log);
  if (last.installationId !== null && installation?.installationId !== last.installationId) return false;
  // A stream that others have damaged proves nothing; its damage is reported elsewhere.
  return (await isInStream(log, last, isItsPosition)) || (await damageOf(log, last.stream)) !== undefined;
}

/** Whether the log holds that very event, at a position that fits; false where the stream is damaged. */
export async function isInStream(
  log: Pick<EventReader, 'readStream'>,
  seen: SeenEvent,
  isItsPosition: (position: Position) => boolean = () => true,
): Promise<boolean> {
  try {
    for await (const event of log.readStream(seen.stream, { from: seen.revision, limit: 1, seen: true })) {
      if (!isItsPosition(event.position)) return false;
      return 'id' in seen ? event.id === seen.id : lastProjectedOf(event)?.chain === seen.chain;
    }
    return false;
  } catch (error) {
    if (error instanceof LogCorrupt) return false;
    throw error;
  }
}
