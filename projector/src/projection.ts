import { LogCorrupt, type DocumentWrite, type LoadedEvent } from '@rollcall/application/read';
import type { EventName } from '@rollcall/contracts';

/**
 * What an event writes: each array is one part, applied in one transaction. A handler depends on nothing but the event, so
 * that the same event gives the same parts whenever it is projected; writing them again changes nothing. The documents of
 * a part stay as they are until three more parts of the event were asked for.
 */
export type Handler = (event: LoadedEvent) => AsyncIterable<readonly DocumentWrite[]>;

/** A table keyed by event name: what it does not name does not concern it. */
export type Projection = { readonly [N in EventName]?: Handler };

/** All parts of an event, table by table in their order. */
export async function* partsOf(
  projections: readonly Projection[],
  event: LoadedEvent,
): AsyncGenerator<readonly DocumentWrite[]> {
  for (const table of projections) {
    const handler = table[event.name];
    if (handler !== undefined) yield* handler(event);
  }
}

type Batches = ReturnType<typeof partsOf>;

/** Starts on the next part, while the one before it is written. A failure waits until somebody asks for the part. */
export function ahead(parts: Batches): ReturnType<Batches['next']> {
  const next = parts.next();
  next.catch(() => undefined);
  return next;
}

/** What is said of a failure of which only the kind may be told. */
export const WHILE_PROJECTED = ' while it was projected';

/** The writes of one part (counted from 1), as a store wants to know them. */
export function fromBatch(
  { position }: LoadedEvent,
  part: number,
  writes: readonly DocumentWrite[],
): DocumentWrite[] {
  const origin = { position, part };
  return writes.map((write) => ({ ...write, origin }));
}

const encoder = new TextEncoder();

/** A document as its write wants it. */
export const toJson = (document: unknown): Uint8Array => encoder.encode(JSON.stringify(document));

/** The company that the event speaks of; `LogCorrupt` where it names none. */
export function companyOf(event: LoadedEvent): number {
  const { companyId } = event.metadata;
  if (companyId === null) {
    throw new LogCorrupt(`the event at revision ${event.revision} of ${event.stream} names no company`);
  }
  return companyId;
}
