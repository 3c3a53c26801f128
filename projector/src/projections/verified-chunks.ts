import type { LoadedEvent } from '@rollcall/application/read';

/** A larger event is read twice, in bounded memory. */
const maxHeldBytes = 8 * 1024 * 1024;

/** Verified before the first chunk: documents stored at an event's revision are never written again. `LogCorrupt`. */
export async function* verifiedChunks(event: LoadedEvent): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  const isHeld = event.size <= maxHeldBytes;
  // A chunk that is all of the data lies in the event itself.
  for await (const chunk of event.chunks())
    if (isHeld) held.push(chunk.length === event.size ? chunk : new Uint8Array(chunk));
  if (isHeld) yield* held;
  else yield* event.chunks(true);
}
