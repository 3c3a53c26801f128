import { EventLogUnavailable, verifyCompanies, verifyLog, type EventLog } from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { append, openRig, configured, employeeSet, survey } from './projector.support.js';

/** A log whose subscriptions end in an outage after so many events, as often as `outages` says. */
function interrupted(log: EventLog, every: number, outages: number) {
  const begun: (bigint | undefined)[] = [];
  const subscribeToAll: EventLog['subscribeToAll'] = async function* (options) {
    begun.push(options.after);
    let seen = 0;
    for await (const item of log.subscribeToAll(options)) {
      if (begun.length <= outages && seen === every) throw new EventLogUnavailable('silent for 5000 ms');
      seen += 1;
      yield item;
    }
  };
  return { log: withMembers(log, { subscribeToAll }), begun };
}

t.test('after an outage it goes on behind its last event, however many there are', async (t) => {
  const on = await openRig(t);
  for (let n = 0; n < 40; n += 1) await append(on, 'survey-1', survey(1, `${n}`));
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const seen: bigint[] = [];
  const onVerified = (position: bigint): void => void seen.push(position);
  const { log, begun } = interrupted(on.log, 2, 15);
  t.match(await verifyLog(log, { sleep, onVerified }), { kind: 'whole', events: 40 });
  t.equal(begun.length, 16);
  t.equal(new Set(begun).size, 16, 'nothing is read again from the beginning');
  t.equal(seen.length, 40, 'each event is told once');
  t.same(new Set(waits), new Set([100]), 'what came further begins its pauses anew');
});

t.test('an outage that lasts is an outage, and no verdict', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'one'));
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const { log } = interrupted(on.log, 0, Infinity);
  await t.rejects(verifyLog(log, { sleep }), EventLogUnavailable);
  t.same(waits, [100, 200, 400, 800, 1600, 3200, 6400, 10_000]);
});

t.test('a set that is not what its digest says is found, though every chain is whole', async (t) => {
  const on = await openRig(t);
  const digester = new Digester(Buffer.alloc(32, 7));
  await append(on, 'company-7', configured(7, 'Seven'));
  t.same(await verifyCompanies(on.log, digester), { kind: 'whole', companies: 1 });
  await append(on, 'company-7', employeeSet({ added: [{ number: 1, id: 'A-1' }], total: 1, lastNumber: 1 }));
  t.match(await verifyLog(on.log), { kind: 'whole' });
  t.match(await verifyCompanies(on.log, digester), { kind: 'broken', stream: 'company-7', revision: 1 });
});
