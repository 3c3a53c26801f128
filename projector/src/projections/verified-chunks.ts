import type { LoadedEvent } from '@rollcall/application/read';

/** A larger event is read twice, since its memory must not grow with it. */
const HELD_BYTES = 8 * 1024 * 1024;

/**
 * The text of an event once all of it is known to be what was written: what is stored of it at the event's revision is never
 * written again, not even after a mend. `LogCorrupt` before the first chunk.
 */
export async function* verifiedChunks(event: LoadedEvent): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  const isHeld = event.size <= HELD_BYTES;
  for await (const chunk of event.chunks()) if (isHeld) held.push(Uint8Array.from(chunk));
  if (isHeld) yield* held;
  else yield* event.chunks(true);
}
