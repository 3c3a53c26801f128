import { isInStream } from '../installation/checkpoint.js';
import { LogCorrupt, type EventReader } from '../ports/event-log.js';
import { isOutage, problemOf } from '../ports/problems.js';
import type { LiveGeneration, ReadModels } from '../ports/read-models.js';
import type { Head } from './anchor.js';
import { headPages } from './heads.js';

/** Names streams of which the projector has seen what the log does not hold; each says what. At most `limit`, and what ended the search. */
export async function lostEvents(
  log: EventReader,
  readModels: Pick<ReadModels, 'liveGeneration'>,
  limit = 20,
): Promise<readonly string[]> {
  const lost: string[] = [];
  try {
    for await (const text of lostTexts(log, await readModels.liveGeneration()))
      if (lost.push(text) === limit) return [...lost, 'and perhaps more'];
  } catch (error) {
    if (!isOutage(error) && !(error instanceof LogCorrupt)) throw error;
    lost.push(`whether other streams lack events could not be seen: ${problemOf(error)}`);
  }
  return lost;
}

async function* lostTexts(log: EventReader, live: LiveGeneration): AsyncGenerator<string> {
  for await (const page of headPages(live))
    for (const head of page) if (!(await isInStream(log, head))) yield await lostText(log, head);
}

async function lostText(log: EventReader, { stream, revision }: Head): Promise<string> {
  const last = await log.readLast(stream);
  if (last === undefined) return `${stream} is gone; the read models know its revision ${revision}`;
  return last.revision < revision
    ? `${stream} ends at revision ${last.revision}; the read models know revision ${revision}`
    : `${stream} has another event at revision ${revision} than the read models know`;
}
