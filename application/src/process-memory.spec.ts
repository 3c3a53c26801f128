import { setImmediate } from 'node:timers/promises';
import tap from 'tap';
import { collectLeftovers, collectYoung, heldBytes } from './process-memory.js';

const megabyte = 1024 * 1024;

/** Objects that nobody needs when it returns. */
const work = (megabytes: number): number => new Uint8Array(megabytes * megabyte).fill(1).length;

/** Memory is given back by a thread of its own, which a loaded machine may let wait. */
async function untilAtMost(bytes: number, most = 500_000): Promise<boolean> {
  for (let turns = 0; turns < most && heldBytes() > bytes; turns++) await setImmediate();
  return heldBytes() <= bytes;
}

tap.test('what large work has left is given back, as often as there is some', async (t) => {
  collectLeftovers(-Infinity);
  const atFirst = heldBytes();
  for (const collect of [collectYoung, collectYoung, collectLeftovers, collectLeftovers]) {
    const before = heldBytes();
    work(16);
    collect(before);
    t.ok(await untilAtMost(atFirst + megabyte));
  }
});

tap.test('what was there for some time is found too', async (t) => {
  const before = heldBytes();
  const held = [new Uint8Array(16 * megabyte)];
  for (let times = 0; times < 3; times++) collectYoung();
  t.equal(held.pop()?.length, 16 * megabyte);
  await setImmediate();
  collectLeftovers(before);
  t.ok(await untilAtMost(before + megabyte));
});

tap.test('what little work has left waits for more', async (t) => {
  collectLeftovers(-Infinity);
  const before = heldBytes();
  work(4);
  collectLeftovers(before);
  t.notOk(await untilAtMost(before + megabyte, 50));
  collectYoung();
  t.ok(await untilAtMost(before + megabyte));
});
