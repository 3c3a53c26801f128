import type { ParkedStream, ReadModelReader, ReadModelWriter } from '@rollcall/application';

/** Has a stream parked, wherever the read models stand. */
export async function setAside(store: ReadModelReader & ReadModelWriter, park: ParkedStream): Promise<void> {
  for (;;) {
    const progress = await store.progress();
    if (await store.advance(progress, progress, { park })) return;
  }
}
