import type { StateSnapshot, StateSnapshots } from '@rollcall/application';
import type { Test } from 'tap';

/** What the suite runs against. */
export interface SnapshotsUnderTest {
  readonly adapter: string;
  readonly location: string;
  /** The time that the handles know. */
  readonly clock: { at: number; now(): number };
  /** Another handle on the same, at first empty, store. */
  open(): StateSnapshots | Promise<StateSnapshots>;
  /** What can be wrong at rest with the one snapshot of company 7, each a way to make it so. */
  readonly harms: Readonly<Record<string, () => Promise<void>>>;
  /** How many chunks or files there are. */
  pieces(): Promise<number>;
  /** Leaves what a process leaves that was killed while it put a snapshot. */
  leaveUnfinished(): Promise<void>;
}

export type FreshSnapshots = (t: Test) => Promise<SnapshotsUnderTest>;

export const stream = 'company-7';

export const snapshotOf = (
  revision: number,
  bytes: Uint8Array,
  more: Partial<StateSnapshot> = {},
): StateSnapshot => ({
  stream,
  revision,
  stateVersion: 3,
  chain: 'ab'.repeat(32),
  recordedAt: '2026-11-21T09:00:00.000Z',
  bytes,
  ...more,
});

/** One of some size, which tells by each byte which it is. */
export const filled = (revision: number): StateSnapshot =>
  snapshotOf(revision, Buffer.alloc(1_200_000, revision % 256));
