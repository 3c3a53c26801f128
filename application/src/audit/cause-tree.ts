import type { EventMetadata } from '@rollcall/contracts';

interface Caused {
  readonly id: string;
  readonly metadata: Pick<EventMetadata, 'causationId' | 'operationId'>;
}

interface TreeEntry<E> {
  readonly event: E;
  readonly depth: number;
}

/**
 * Events in the order of the log, as a tree: an event stands below the one that led to it, or else below the first one of its operation.
 */
export function causeTree<E extends Caused>(events: readonly E[]): TreeEntry<E>[] {
  const causes = causesOf(events);
  const entries: TreeEntry<E>[] = [];
  const open = (causes.get(undefined) ?? []).map((event) => ({ event, depth: 0 })).reverse();
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    entries.push(entry);
    const { event, depth } = entry;
    for (const effect of causes.get(event)?.toReversed() ?? [])
      open.push({ event: effect, depth: depth + 1 });
  }
  return entries;
}

function causesOf<E extends Caused>(events: readonly E[]): Map<E | undefined, E[]> {
  const byId = new Map<string | null, E>();
  const firsts = new Map<string, E>();
  const effects = new Map<E | undefined, E[]>();
  for (const event of events) {
    const { causationId, operationId } = event.metadata;
    const cause = byId.get(causationId) ?? firsts.get(operationId);
    const known = effects.get(cause);
    if (known === undefined) effects.set(cause, [event]);
    else known.push(event);
    byId.set(event.id, event);
    if (!firsts.has(operationId)) firsts.set(operationId, event);
  }
  return effects;
}
