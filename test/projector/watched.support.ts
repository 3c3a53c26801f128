import type { ReadModels, ReadModelWriter } from '@rollcall/application';
import { replaced, type DocumentChange, type Projection } from '@rollcall/projector';
import { withLive, type WritableReadModels } from '../support/writable.js';

/** A document of the collection `seen`, which only tests have. */
export const seen = (key: readonly [number, string], document: object): DocumentChange =>
  replaced(key, document);

export const PARTS = 5;

/** Notes a refused import under several keys. */
export const inParts: Projection = {
  collection: 'seen',
  changes: {
    ImportRefused: ({ stream, revision }) =>
      Array.from({ length: PARTS }, (_, part) => seen([part + 1, stream], { part: part + 1, revision })),
  },
};

type Written = Parameters<ReadModelWriter['write']>[0];
type Moved = Parameters<ReadModelWriter['advance']>;

export interface Watching {
  readonly write?: (stages: Written) => unknown;
  readonly advance?: (...moved: Moved) => unknown;
}

/** A store that does as the test says before each write and each move of the progress. */
export const watched = (store: ReadModels, before: Watching): WritableReadModels =>
  withLive(store, (live) => ({
    write: async (stages) => {
      await before.write?.(stages);
      return live.write(stages);
    },
    advance: async (expected, next, { documents, ...changes } = {}) => {
      if (documents !== undefined) {
        await before.write?.(documents);
        await live.write(documents);
      }
      await before.advance?.(expected, next, changes);
      return live.advance(expected, next, changes);
    },
  }));

/** Whether a write is of this document. */
export const writes = (stages: Written, collection: string, key: readonly (number | string)[]): boolean =>
  stages.flat().some((one) => one.collection === collection && one.key.join() === key.join());
