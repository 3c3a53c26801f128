import { isInStream } from '../installation/checkpoint.js';
import type { EventReader } from '../ports/event-log.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Head } from './anchor.js';
import { headOfDocument } from './heads.js';

/** Names streams of which the projector has seen what the log does not hold; each says what. At most `limit`. */
export async function lostEvents(
  log: EventReader,
  readModels: Pick<ReadModels, 'liveGeneration'>,
  limit = 20,
): Promise<readonly string[]> {
  const lost: string[] = [];
  const live = await readModels.liveGeneration();
  for await (const batch of live.findBatches('streams', { prefix: [] }))
    for (const head of batch.map(headOfDocument)) {
      if (await isInStream(log, head)) continue;
      lost.push(await lostText(log, head));
      if (lost.length === limit) return [...lost, 'and perhaps more'];
    }
  return lost;
}

async function lostText(log: EventReader, { stream, revision }: Head): Promise<string> {
  const last = await log.readLast(stream);
  if (last === undefined) return `${stream} is gone; the read models know its revision ${revision}`;
  return last.revision < revision
    ? `${stream} ends at revision ${last.revision}; the read models know revision ${revision}`
    : `${stream} has another event at revision ${revision} than the read models know`;
}
