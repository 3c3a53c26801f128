import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventLog } from '@rollcall/application';
import { Program } from '../support/program.js';

/** What a writer was told. `revision` and `position` are those of the last event. */
export interface Written {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly ids: readonly string[];
}

const CHILD = fileURLToPath(new URL('./event-log.child.js', import.meta.url));

/** 100 to 200,000 bytes that follow from the id, so that a torn event would show. */
export function dataFor(id: string): Buffer {
  const seed = createHash('sha256').update(id).digest();
  const length = seed.readUInt8(0) < 16 ? 200_000 : 100 + seed.readUInt8(1);
  return Buffer.alloc(length, seed);
}

/** Runs a writing process, kills it `delayMs` after its first answer, and gives back what it was told. */
export async function writeUntilKilled(
  adapter: string,
  location: string,
  delayMs: number,
): Promise<Written[]> {
  const child = new Program([CHILD, adapter, location]);
  await child.says(/\n/);
  await wait(delayMs);
  await child.kill();
  await child.ended;
  // The line that the kill cut off was never answered.
  return child.lines.map((line) => JSON.parse(line) as Written);
}

/** The first difference between what was answered and what stands in the log. */
export async function lostOrTorn(log: EventLog, answered: readonly Written[]): Promise<string | undefined> {
  const found = new Map<string, string>();
  const streams = new Set(answered.map((written) => written.stream));
  for (const stream of streams) {
    let revision = 0;
    for await (const event of log.readStream(stream)) {
      if (event.revision !== revision++) return `a gap in ${stream} before ${event.revision}`;
      if (!dataFor(event.id).equals(event.data)) return `a torn event in ${stream} at ${event.revision}`;
      found.set(`${stream}@${event.revision}`, event.id);
    }
  }
  for (const { stream, revision, ids } of answered) {
    const first = revision - ids.length + 1;
    const lost = ids.findIndex((id, index) => found.get(`${stream}@${first + index}`) !== id);
    if (lost >= 0) return `an answered event is lost in ${stream} at ${first + lost}`;
  }
  return undefined;
}
