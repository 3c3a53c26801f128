import { settlementOf, type DeliveryEnd, type Settlement } from '@rollcall/worker';
import tap from 'tap';

const nak = (delayMs: number): Settlement => ({ call: 'nak', delayMs });
const ack: Settlement = { call: 'ack' };
const term: Settlement = { call: 'term' };

/** For the first, the second and the twentieth delivery. */
const table: Readonly<Record<DeliveryEnd, readonly [Settlement, Settlement, Settlement]>> = {
  idle: [ack, ack, ack],
  joined: [ack, ack, ack],
  'unknown-company': [term, term, term],
  malformed: [term, term, term],
  'attempt-failed': [nak(1_000), nak(2_000), nak(60_000)],
  outage: [nak(1_000), nak(2_000), nak(30_000)],
  behind: [nak(1_000), nak(2_000), ack],
  error: [nak(5_000), nak(10_000), nak(300_000)],
  corrupt: [nak(300_000), nak(300_000), nak(300_000)],
  stopped: [nak(0), nak(0), nak(0)],
};

tap.test('what the queue is told of each end of a run', async (t) => {
  for (const [end, rows] of Object.entries(table) as [DeliveryEnd, readonly Settlement[]][]) {
    t.strictSame(
      [1, 2, 20].map((attempt) => settlementOf(end, attempt)),
      rows,
      end,
    );
  }
});
