import {
  type DocumentKey,
  type NewestDocument,
  ReadModelsLate,
  type ReadModelWriter,
} from '@rollcall/application/read';

/** After a timeout asks for one key, which tells a slow store from a hung one, then for each half of the rest. */
export async function newestInHalves(
  store: Pick<ReadModelWriter, 'newest'>,
  collection: string,
  keys: readonly DocumentKey[],
  copy?: (value: Uint8Array) => Uint8Array,
): Promise<readonly (NewestDocument | undefined)[]> {
  try {
    return await store.newest(collection, keys, copy);
  } catch (error) {
    if (!(error instanceof ReadModelsLate) || keys.length < 2) throw error;
  }
  const middle = (keys.length >> 1) + 1;
  const parts = [keys.slice(0, 1), keys.slice(1, middle), keys.slice(middle)].filter(
    ({ length }) => length > 0,
  );
  const found: (NewestDocument | undefined)[] = [];
  for (const part of parts) found.push(...(await newestInHalves(store, collection, part, copy)));
  return found;
}
