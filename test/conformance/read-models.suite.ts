import type { ReadModels } from '@rollcall/adapters';
import t, { type Test } from 'tap';
import { openStore } from './read-models.adapters.js';
import { crashTests } from './read-models.crash.suite.js';
import { documentTests } from './read-models.documents.suite.js';
import { generationTests } from './read-models.generations.suite.js';
import { progressTests } from './read-models.progress.suite.js';
import { snapshotTests } from './read-models.snapshots.suite.js';

/** What the suites run against: each call of `open` is another handle on the same, at first empty, store. */
export interface StoreUnderTest {
  readonly adapter: string;
  readonly location: string;
  /** The time that the handles know; tests move it. */
  readonly clock: { at: number; now(): number };
  open(): Promise<ReadModels>;
}

export type OpenFresh = (t: Test) => Promise<{ readonly store: ReadModels; readonly under: StoreUnderTest }>;

/** The rules of the read models' port, for any adapter. `locate` gives the place of a new and empty store. */
export function readModelsConformance(adapter: string, locate: (t: Test) => string): void {
  const fresh: OpenFresh = async (t) => {
    const location = locate(t);
    const clock = {
      at: Date.parse('2026-11-21T09:00:00Z'),
      now: () => clock.at,
    };
    const opened: ReadModels[] = [];
    const open = async (): Promise<ReadModels> => {
      const store = await openStore(adapter, location, clock);
      opened.push(store);
      return store;
    };
    t.teardown(async () => {
      for (const store of opened) await store.close();
    });
    return { store: await open(), under: { adapter, location, clock, open } };
  };
  t.test(`${adapter}: documents`, (t) => documentTests(t, fresh));
  t.test(`${adapter}: progress`, (t) => progressTests(t, fresh));
  t.test(`${adapter}: state snapshots`, (t) => snapshotTests(t, fresh));
  t.test(`${adapter}: generations`, (t) => generationTests(t, fresh));
  t.test(`${adapter}: crash`, { timeout: 600_000 }, (t) => crashTests(t, fresh));
}
