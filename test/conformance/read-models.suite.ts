import t, { type Test } from 'tap';
import { openStore } from './read-models.adapters.js';
import { copyTests } from './read-models.copies.suite.js';
import { crashTests } from './read-models.crash.suite.js';
import { documentTests } from './read-models.documents.suite.js';
import { generationTests } from './read-models.generations.suite.js';
import { revisionTests } from './read-models.revisions.suite.js';
import { versionTests } from './read-models.versions.suite.js';
import { interleavingTests } from './read-models.interleaving.suite.js';
import { progressTests } from './read-models.progress.suite.js';
import type { WritableReadModels } from '../support/writable.js';

/** What the suites run against: each call of `open` is another handle on the same, at first empty, store. */
export interface StoreUnderTest {
  readonly adapter: string;
  readonly location: string;
  /** Whether all that is written in one call comes at once. Where not, what is torn is whole when it is written again. */
  readonly transactions: boolean;
  /** The time that the handles know; tests move it. */
  readonly clock: { at: number; now(): number };
  /** Of a version of the projections; without one whichever is newest. */
  open(projections?: string): Promise<WritableReadModels>;
}

/** A new and empty store, opened for a version of the projections or for none. */
export type OpenFresh = (
  t: Test,
  projections?: string,
) => Promise<{ readonly store: WritableReadModels; readonly under: StoreUnderTest }>;

export interface Conformance {
  readonly adapter: string;
  /** The place of a new and empty store. */
  readonly locate: (t: Test) => string;
  readonly transactions: boolean;
}

const freshOf =
  ({ adapter, locate, transactions }: Conformance): OpenFresh =>
  async (t, projections) => {
    const location = locate(t);
    const clock = {
      at: Date.parse('2026-11-21T09:00:00Z'),
      now: () => clock.at,
    };
    const opened: WritableReadModels[] = [];
    const open = async (projections?: string): Promise<WritableReadModels> => {
      const version = projections === undefined ? {} : { projections };
      const store = await openStore(adapter, location, { clock, ...version });
      opened.push(store);
      return store;
    };
    t.teardown(async () => {
      for (const store of opened) await store.close();
    });
    return { store: await open(projections), under: { adapter, location, transactions, clock, open } };
  };

/** The rules of the read models' port, for any adapter. */
export function readModelsConformance(conformance: Conformance): void {
  const { adapter } = conformance;
  const fresh = freshOf(conformance);
  t.test(`${adapter}: documents`, (t) => documentTests(t, fresh));
  t.test(`${adapter}: revisions`, (t) => revisionTests(t, fresh));
  t.test(`${adapter}: progress`, (t) => progressTests(t, fresh));
  t.test(`${adapter}: generations`, (t) => generationTests(t, fresh));
  t.test(`${adapter}: versions of the projections`, (t) => versionTests(t, fresh));
  t.test(`${adapter}: copies of collections`, (t) => copyTests(t, fresh));
  t.test(`${adapter}: interleavings`, { timeout: 1_800_000 }, (t) => interleavingTests(t, fresh));
}

/** The same port, by processes that are killed. */
export function readModelsCrashConformance(conformance: Conformance): void {
  t.test(`${conformance.adapter}: crash`, { timeout: 600_000 }, (t) => crashTests(t, freshOf(conformance)));
}
