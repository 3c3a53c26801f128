import type { DocumentWrite, Progress, ReadModels } from '@rollcall/application';
import type { Projection } from '@rollcall/projector';

/** A document of the collection `seen`, which only tests have. */
export const put = (key: readonly [number, string], json: object): DocumentWrite => ({
  op: 'put',
  collection: 'seen',
  key,
  json: Buffer.from(JSON.stringify(json)),
});

export const PARTS = 5;
/** Writes a refused import in several parts. */
export const inParts: Projection = {
  ImportRefused: async function* (event) {
    for (let part = 1; part <= PARTS; part += 1) yield [put([part, event.stream], { part })];
  },
};

/** A store that does as the test says before each `apply`. */
export function watched(
  store: ReadModels,
  before: (next: Progress, writes: readonly DocumentWrite[]) => unknown,
): ReadModels {
  const proxy: ReadModels = Object.create(store) as ReadModels;
  for (const name of [
    'get',
    'getMany',
    'find',
    'progress',
    'parkedStreams',
    'laggingStreams',
    'reached',
  ] as const) {
    Object.defineProperty(proxy, name, { value: store[name].bind(store) });
  }
  const apply: ReadModels['apply'] = async (expected, writes, next, streams) => {
    await before(next, writes);
    return store.apply(expected, writes, next, streams);
  };
  return Object.defineProperty(proxy, 'apply', { value: apply });
}
