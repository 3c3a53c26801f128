import type { LaggingStream, ParkedStream, ReadModelReader, ReadModelWriter } from '@rollcall/application';

/** Has a stream parked, or lagging where no problem is named, wherever the read models stand. */
export async function setAside(
  store: ReadModelReader & ReadModelWriter,
  stream: ParkedStream | LaggingStream,
): Promise<void> {
  for (;;) {
    const progress = await store.progress();
    if (await store.apply(progress, [], progress, { setAside: stream })) return;
  }
}
