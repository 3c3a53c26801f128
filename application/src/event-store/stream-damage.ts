import type { DamageFinder } from '../ports/event-log.js';

/** Streams that others have shortened, deleted or written to, with the reason. */
export async function damagedStreams(log: DamageFinder, begin: string): Promise<Map<string, string>> {
  const damaged = new Map<string, string>();
  for await (const { stream, problem, kind } of log.findDamage?.() ?? [])
    if (kind === 'damage' && stream.startsWith(begin)) damaged.set(stream, problem);
  return damaged;
}

export const damageOf = async (log: DamageFinder, stream: string): Promise<string | undefined> =>
  (await damagedStreams(log, stream)).get(stream);
