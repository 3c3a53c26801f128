import type { EventReader } from '../ports/event-log.js';
import { Loggable } from '../ports/problems.js';

/** Exists while an import into the log is unfinished. Its name is of the family that may be deleted, so it leaves no trace. */
export const importMark = 'payload-00000000-0000-0000-0000-000000000000';

/** `Loggable` where an import into the log has begun and not ended: nothing else may read or write it. */
export async function refuseUnfinishedImport(log: Pick<EventReader, 'readLast'>): Promise<void> {
  if ((await log.readLast(importMark)) === undefined) return;
  throw new Loggable(
    'An import into this event log is not finished: run the same rollcall audit import or rollcall move again.',
  );
}
