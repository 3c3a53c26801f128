import { setTimeout as wait } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { SilenceWatch } from './silence-watch.js';

/** A subscription at position 7 whose leader says that the log ends there; `looks` counts how often it was asked. */
function silent(t: Test, { end, hasBuffered = false }: { end: bigint | undefined; hasBuffered?: boolean }) {
  const told = { looks: 0, hasLeft: false };
  const call = {
    hasBuffered,
    silentSince: -Infinity,
    get hasLeft() {
      return told.hasLeft;
    },
    leave: () => void (told.hasLeft = true),
  };
  const lastWanted = {
    read: async () => {
      told.looks += 1;
      return end;
    },
  };
  const deps = { wire: { seekLeader: async () => undefined }, lastWanted, silenceMs: 1 };
  const watch = new SilenceWatch(call, deps, { done: 7n });
  watch.start();
  t.teardown(() => watch.stop());
  return { told, call };
}

const looked = async (told: { readonly looks: number }, times: number): Promise<void> => {
  while (told.looks < times) await wait(1);
};

tap.test('what stays behind the end of the log leaves', async (t) => {
  const { told } = silent(t, { end: 8n });
  while (!told.hasLeft) await wait(1);
  t.equal(told.looks, 2, 'not before it was seen twice');
});

tap.test('what is at the end stays', async (t) => {
  for (const end of [undefined, 6n, 7n]) {
    const { told } = silent(t, { end });
    await looked(told, 4);
    t.notOk(told.hasLeft);
  }
});

tap.test('what has something to take is not silent', async (t) => {
  const [busy, idle] = [silent(t, { end: 8n, hasBuffered: true }), silent(t, { end: 7n })];
  await looked(idle.told, 4);
  t.match(busy.told, { looks: 0, hasLeft: false });
});
