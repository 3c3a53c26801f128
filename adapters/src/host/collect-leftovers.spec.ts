import { setImmediate } from 'node:timers/promises';
import tap from 'tap';
import { collectLeftovers, heldBytes } from './collect-leftovers.js';

const megabyte = 1024 * 1024;

/** Objects that nobody needs when it returns. */
const work = (megabytes: number): number => new Uint8Array(megabytes * megabyte).fill(1).length;

/** Memory is given back by a thread of its own. */
async function untilAtMost(bytes: number, most = 10_000): Promise<boolean> {
  for (let turns = 0; turns < most && heldBytes() > bytes; turns++) await setImmediate();
  return heldBytes() <= bytes;
}

tap.test('what large work has left is given back, as often as there is some', async (t) => {
  collectLeftovers();
  const atFirst = heldBytes();
  for (let times = 0; times < 3; times++) {
    const before = heldBytes();
    work(8);
    collectLeftovers(before);
    t.ok(await untilAtMost(atFirst + megabyte));
  }
});

tap.test('what little work has left waits for more', async (t) => {
  collectLeftovers();
  const before = heldBytes();
  work(2);
  collectLeftovers(before);
  t.notOk(await untilAtMost(before + megabyte, 50));
  collectLeftovers();
  t.ok(await untilAtMost(before + megabyte));
});
