import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CollectionDeclaration,
  type EventLog,
  readModelCollections,
  type StateSnapshots,
} from '@rollcall/application';
import { openEmbeddedEventLog, openEmbeddedReadModels, openEmbeddedSnapshots } from '@rollcall/adapters';
import type { Test } from 'tap';
import { writable, type WritableReadModels } from './writable.js';

export type Ending = Pick<Test, 'teardown'>;

export interface Rig {
  readonly folder: string;
  readonly log: EventLog;
  readonly readModels: WritableReadModels;
  readonly snapshots: StateSnapshots;
  /** The time in milliseconds; tests move it. */
  readonly clock: { at: number; now(): number };
}

/** With one that only tests have. */
export const collectionsWithSeen: readonly CollectionDeclaration[] = [
  ...readModelCollections,
  { name: 'seen', owner: 'any', indexes: {} },
];

/** A log and read models in a folder of their own; closed and gone after the test, or the part of it. */
export async function openRig(t: Ending): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const clock = { at: Date.parse('2026-11-21T09:00:00Z'), now: () => clock.at };
  const log = await openEmbeddedEventLog({ folder: `${folder}/event-log`, sync: false });
  t.teardown(() => log.close());
  const readModels = writable(
    await openEmbeddedReadModels({
      folder: `${folder}/read-models`,
      sync: false,
      collections: collectionsWithSeen,
    }),
  );
  t.teardown(() => readModels.close());
  const snapshots = openEmbeddedSnapshots({ folder: `${folder}/snapshots`, clock });
  return { folder, log, readModels, snapshots, clock };
}

/** A part of a test that closes what it opened when it ends: a property would have too much open at once. */
export async function scoped<T>(work: (scope: Ending) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ teardown: (end) => void ends.unshift(end) });
  } finally {
    for (const end of ends) await end();
  }
}
