import type { ParkedStream, ReadModels } from '@rollcall/application';

/** Has a stream parked, wherever the read models stand. */
export async function setAside(store: ReadModels, park: ParkedStream): Promise<void> {
  for (;;) {
    const live = await store.liveGeneration();
    const progress = await live.progress();
    if (await live.advance(progress, progress, { park: [park] })) return;
  }
}
