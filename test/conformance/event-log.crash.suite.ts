import fc from 'fast-check';
import type { Test } from 'tap';
import { lostOrTorn, writeUntilKilled, type Written } from './event-log.crash.js';
import type { OpenFresh } from './event-log.suite.js';
import { catchUp, newEvent, put } from './event-log.support.js';
import { scale, seed } from '../support/scale.js';

export function crashTests(t: Test, fresh: OpenFresh): void {
  t.test('what was answered survives kill -9, and the log goes on beside it', async (t) => {
    const { log, under } = await fresh(t);
    const rounds = Math.max(3, Math.ceil(50 * scale));
    t.comment(`${rounds} rounds, TEST_SEED=${seed}`);
    const delays = fc.sample(fc.integer({ min: 0, max: 250 }), { numRuns: rounds, seed });
    const answered: Written[] = [];
    for (const [round, delay] of delays.entries()) {
      answered.push(...(await writeUntilKilled(under.adapter, under.location, delay)));
      const own = await put(log, `company-${round}`, 'no-stream', [newEvent()]);
      t.ok(answered.every((written) => BigInt(written.position) < own.position));
      t.equal(await lostOrTorn(log, answered), undefined);
    }
    t.ok(answered.length > rounds, `${answered.length} appends were answered`);
    const reopened = await under.open();
    t.equal(await lostOrTorn(reopened, answered), undefined);
    const { events } = await catchUp(reopened, undefined);
    t.equal(new Set(events.map((event) => event.position)).size, events.length);
  });
  t.end();
}
