import type { Change } from './batch.js';
import type { Deadline } from './connection.js';
import { fetch, type GenerationCollections } from './documents.js';
import type { Step } from './fold.js';
import { encodeKey } from './keys.js';

/** The changes without the writes that must not be because another document is stored already (`unless`). */
export async function withoutForbidden(
  collections: GenerationCollections,
  changes: readonly Change[],
  deadline: Deadline,
): Promise<readonly Change[]> {
  const asked = askedFor(changes);
  if (asked.size === 0) return changes;
  const stored = new Set<string>();
  for (const [name, ids] of asked) {
    const found = await fetch(collections.documents(name), [...ids], deadline, { newest: true });
    for (const [id, record] of found) if (record.live === true) stored.add(nameOf(name, id));
  }
  const isAllowed = (step: Step): boolean => {
    const unless = unlessOf(step);
    return unless === undefined || !stored.has(nameOf(unless.collection, encodeKey(unless.key)));
  };
  return changes
    .map((change) => ({ ...change, steps: change.steps.filter(isAllowed) }))
    .filter(({ steps }) => steps.length > 0);
}

/** The ids to look for in each collection. */
function askedFor(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<string>> {
  const asked = new Map<string, Set<string>>();
  for (const unless of changes.flatMap(({ steps }) => steps.map(unlessOf))) {
    if (unless === undefined) continue;
    const ids = asked.get(unless.collection) ?? new Set<string>();
    asked.set(unless.collection, ids.add(encodeKey(unless.key)));
  }
  return asked;
}

const unlessOf = ({ write }: Step) => (write.op === 'put' ? write.unless : undefined);

const nameOf = (collection: string, id: string): string => `${collection}\0${id}`;
