import type { DocumentWrite, LoadedEvent } from '@rollcall/adapters';
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

const encoder = new TextEncoder();

/** A document as its write wants it. */
export const toJson = (document: unknown): Uint8Array => encoder.encode(JSON.stringify(document));
