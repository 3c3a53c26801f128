import type { DamageFinder } from '../ports/event-log.js';

/** Why the stream cannot be used, where others have shortened or deleted it or written to it. */
export async function damageOf(log: DamageFinder, stream: string): Promise<string | undefined> {
  for await (const finding of log.findDamage?.() ?? [])
    if (finding.stream === stream && finding.kind === 'damage') return finding.problem;
  return undefined;
}
