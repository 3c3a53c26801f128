import type { LiveGeneration, ReadModels, ReadModelWriter } from '@rollcall/application';
import { withMembers } from './with-members.js';

/** For tests that write documents themselves: each call goes to the generation that is live then. */
export type WritableReadModels = ReadModels & ReadModelWriter;

export function writable(store: ReadModels): WritableReadModels {
  const writer: ReadModelWriter = {
    newest: async (...given) => (await store.liveGeneration()).newest(...given),
    write: async (stages) => (await store.liveGeneration()).write(stages),
    advance: async (...given) => (await store.liveGeneration()).advance(...given),
    share: async (change) => (await store.liveGeneration()).share(change),
  };
  return withMembers(store, writer);
}

/** The same store, whose live generation does as the test says. */
export const withLive = (
  store: ReadModels,
  change: (live: LiveGeneration) => Partial<LiveGeneration>,
): WritableReadModels =>
  writable(
    withMembers(store, {
      liveGeneration: async () => {
        const live = await store.liveGeneration();
        return withMembers(live, change(live));
      },
    }),
  );
