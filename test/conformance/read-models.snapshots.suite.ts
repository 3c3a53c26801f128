import { randomBytes } from 'node:crypto';
import type { StateSnapshot } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';

const snapshot = (revision: number, bytes: Uint8Array, more: Partial<StateSnapshot> = {}): StateSnapshot => ({
  stream: 'company-7',
  revision,
  stateVersion: 1,
  chain: 'ab'.repeat(32),
  recordedAt: '2026-11-21T09:00:00.000Z',
  bytes,
  ...more,
});

export function snapshotTests(t: Test, fresh: OpenFresh): void {
  t.test('a snapshot of any size comes back whole, from every handle', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    t.equal(await store.readSnapshot('company-7', 1), undefined);
    for (const [revision, size] of [0, 1, 524_288, 524_289, 5_000_000].entries()) {
      const bytes = randomBytes(size);
      await store.writeSnapshot(snapshot(revision, bytes));
      const found = await other.readSnapshot('company-7', 1);
      t.strictSame({ ...found, bytes: undefined }, { ...snapshot(revision, bytes), bytes: undefined });
      t.ok(bytes.equals(found?.bytes ?? Buffer.from('?')));
    }
  });

  t.test('stream and version tell them apart', async (t) => {
    const { store } = await fresh(t);
    await store.writeSnapshot(snapshot(1, Buffer.from('one')));
    await store.writeSnapshot(snapshot(2, Buffer.from('two'), { stateVersion: 2 }));
    await store.writeSnapshot(snapshot(3, Buffer.from('three'), { stream: 'company-70' }));
    const text = async (stream: string, version: number) =>
      Buffer.from((await store.readSnapshot(stream, version))?.bytes ?? []).toString();
    t.equal(await text('company-7', 1), 'one');
    t.equal(await text('company-7', 2), 'two');
    t.equal(await text('company-70', 1), 'three');
    t.equal(await text('company-70', 2), '');
  });

  t.test('bytes on shared memory, and several writers at once', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const filled = (value: number) => new Uint8Array(new SharedArrayBuffer(1_200_000)).fill(value);
    await Promise.all([
      store.writeSnapshot(snapshot(1, filled(1))),
      other.writeSnapshot(snapshot(2, filled(2))),
      store.writeSnapshot(snapshot(3, filled(3))),
    ]);
    const found = await store.readSnapshot('company-7', 1);
    t.ok(found);
    t.ok(found?.bytes.every((byte) => byte === found.revision));
    t.equal(found?.bytes.length, 1_200_000);
  });
  t.end();
}
