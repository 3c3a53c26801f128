import { setTimeout as wait } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { SilenceWatch } from './silence-watch.js';

/** A subscription at position 7 whose leader says that the log ends there; `reads` counts how often it was asked. */
function silent(t: Test, { end, hasBuffered = false }: { end: bigint | undefined; hasBuffered?: boolean }) {
  const seen = { reads: 0, hasLeft: false };
  const call = {
    hasBuffered,
    silentSince: -Infinity,
    get hasLeft() {
      return seen.hasLeft;
    },
    leave: () => void (seen.hasLeft = true),
  };
  const lastWanted = {
    read: async () => {
      seen.reads += 1;
      return end;
    },
  };
  const deps = { wire: { seekLeader: async () => undefined }, lastWanted, silenceMs: 1 };
  const watch = new SilenceWatch(call, deps, { done: 7n });
  watch.start();
  t.teardown(() => watch.stop());
  return { seen, call };
}

const looked = async (seen: { readonly reads: number }, times: number): Promise<void> => {
  while (seen.reads < times) await wait(1);
};

tap.test('what stays behind the end of the log leaves', async (t) => {
  const { seen } = silent(t, { end: 8n });
  while (!seen.hasLeft) await wait(1);
  t.equal(seen.reads, 2, 'not before it was seen twice');
});

tap.test('what is at the end stays', async (t) => {
  for (const end of [undefined, 6n, 7n]) {
    const { seen } = silent(t, { end });
    await looked(seen, 4);
    t.notOk(seen.hasLeft);
  }
});

tap.test('what has something to take is not silent', async (t) => {
  const [busy, idle] = [silent(t, { end: 8n, hasBuffered: true }), silent(t, { end: 7n })];
  await looked(idle.seen, 4);
  t.match(busy.seen, { reads: 0, hasLeft: false });
});
