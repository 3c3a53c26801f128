import { projections, rebuild, Relay } from '@rollcall/projector';
import {
  companyHasWork,
  loadEvent,
  ReadModelsUnavailable,
  type LiveGeneration,
  type LoadedEvent,
  type ReadModelReader,
} from '@rollcall/application';

import tap, { type Test } from 'tap';
import { HandSleep } from '../support/hand-sleep.js';
import { withMembers } from '../support/with-members.js';
import { RecordedLog } from '../support/recorded-log.js';
import { HandQueue } from '../worker/hand-queue.js';
import { settle } from '../worker/worker.support.js';
import { failed, queued } from './import-events.support.js';
import { append, openRig, configured, projectAll, whileProjecting, type Rig } from './projector.support.js';
import { exactly } from '../support/exactly.js';

/** Each is of a later millisecond. */
const id = (n: number): string => `01890000-${String(n).padStart(4, '0')}-7000-8000-000000000000`;

const queueOne = (rig: Rig, companyId: number, n: number): Promise<bigint> =>
  append(rig, `company-${companyId}`, queued(id(n)), { companyId, operationId: id(n) });

interface Relaying {
  readonly relay: Relay;
  readonly queue: HandQueue;
  readonly sleep: HandSleep;
  readonly logger: RecordedLog;
  readonly end: AbortController;
  readonly running: Promise<void>;
}

function startRelay(t: Test, readModels: Pick<ReadModelReader, 'findByIndex' | 'getMany'>): Relaying {
  const queue = new HandQueue();
  const sleep = new HandSleep();
  const logger = new RecordedLog();
  const end = new AbortController();
  const relay = new Relay({ queue, readModels, logger, signal: end.signal, sleep: sleep.sleep });
  const running = relay.run();
  t.teardown(() => {
    end.abort();
    return running;
  });
  return { relay, queue, sleep, logger, end, running };
}

/** Projects everything, with the relay beside it. */
const project = ({ log, readModels }: Rig, { relay }: Relaying): Promise<void> =>
  projectAll({ log, readModels, projections, onApplied: (event) => relay.onApplied(event) });

/** The events of the log. */
async function loaded({ log }: Rig): Promise<LoadedEvent[]> {
  const events: LoadedEvent[] = [];
  for await (const item of log.subscribeToAll({ after: undefined, signal: new AbortController().signal })) {
    if (item.kind === 'caught-up') break;
    events.push(loadEvent(log, item.event));
  }
  return events;
}

tap.test('a queued import is told of once it is projected, and nothing else is', async (t) => {
  const rig = await openRig(t);
  const relaying = startRelay(t, rig.readModels);
  await append(rig, 'company-7', configured(7, 'Acme'));
  await queueOne(rig, 7, 1);
  await queueOne(rig, 8, 2);
  t.same(relaying.queue.published, []);
  await project(rig, relaying);
  await settle();
  t.same(relaying.queue.published, [7, 8]);
  t.same(relaying.queue.revisions, [1, 0], 'with the revision of what is pending');
  await append(rig, 'company-7', failed(id(1)), { companyId: 7, operationId: id(1) });
  await project(rig, relaying);
  await settle();
  t.same(relaying.queue.published, [7, 8]);
});

tap.test('an import behind another one is left to whoever ends that one', async (t) => {
  const rig = await openRig(t);
  const relaying = startRelay(t, rig.readModels);
  await settle();
  for (const n of [1, 2, 3]) await queueOne(rig, 7, n);
  await project(rig, relaying);
  await settle();
  t.same(relaying.queue.published, [7], 'one message for the oldest');
  for (const n of [1, 2, 3])
    await append(rig, 'company-7', failed(id(n)), { companyId: 7, operationId: id(n) });
  await queueOne(rig, 7, 4);
  await project(rig, relaying);
  await settle();
  t.same(relaying.queue.published, [7, 7], 'and one where nothing is in front');
});

tap.test('also where the operation ids say another order', async (t) => {
  const rig = await openRig(t);
  const relaying = startRelay(t, rig.readModels);
  await settle();
  for (const n of [9, 8, 2, 1]) await queueOne(rig, 7, n);
  await project(rig, relaying);
  await settle();
  t.same(relaying.queue.published, [7]);
  t.same(relaying.queue.revisions, [0], 'of the first one');
});

tap.test('an only import is looked for once, and one behind many reads few calls', async (t) => {
  const rig = await openRig(t);
  let [asked, read] = [0, 0];
  const findByIndex: ReadModelReader['findByIndex'] = async function* (...given) {
    asked += 1;
    for await (const call of rig.readModels.findByIndex(...given)) yield ((read += 1), call);
  };
  const relaying = startRelay(t, withMembers(rig.readModels, { findByIndex }));
  await settle();
  asked = 0;
  await queueOne(rig, 7, 1);
  await project(rig, relaying);
  t.equal(asked, 1);
  for (let n = 2; n <= 50; n++) await queueOne(rig, 7, n);
  await project(rig, relaying);
  t.ok(read <= 4 * 50, `${read} calls`);
});

tap.test('it begins with every company that has a pending import', async (t) => {
  const rig = await openRig(t);
  for (const n of [1, 2]) await queueOne(rig, 7, n);
  await queueOne(rig, 8, 3);
  await projectAll({ ...rig, projections });
  const { queue } = startRelay(t, rig.readModels);
  t.same(await queue.untilPublished(2), [7, 8]);
});

tap.test(
  'it announces what another process has projected into the read models that replace its own',
  async (t) => {
    const rig = await openRig(t);
    const { log } = rig;
    const relaying = startRelay(t, rig.readModels);
    await queueOne(rig, 7, 1);
    let rebuilt: Promise<void> | undefined;
    const readModels = withMembers(rig.readModels, {
      liveGeneration: async () => {
        const live = await rig.readModels.liveGeneration();
        const newest: LiveGeneration['newest'] = async (...asked) => {
          await (rebuilt ??= rebuild(rig.readModels, { log, projections }));
          return live.newest(...asked);
        };
        return withMembers(live, { newest });
      },
    });
    const seen: string[] = [];
    const onApplied = async (event: LoadedEvent): Promise<void> => {
      seen.push(event.name);
      await relaying.relay.onApplied(event);
    };
    const onSwitched = (live: LiveGeneration) => relaying.relay.announcePending(live);
    await whileProjecting({ log, readModels, projections, onApplied, onSwitched }, async () => {
      t.same(await relaying.queue.untilPublished(1), [7]);
    });
    t.same(seen, [], 'its projector has applied nothing');
  },
);

tap.test('a queue that is away', async (t) => {
  const rig = await openRig(t);
  const relaying = startRelay(t, rig.readModels);
  const { queue, sleep, logger } = relaying;
  queue.broken = new Set(['publish']);
  for (let n = 1; n <= 120; n++) await queueOne(rig, n, n);
  await project(rig, relaying);
  t.pass('does not stop the projection');
  const waited: number[] = [];
  for (let i = 0; i < 9; i++) waited.push(await sleep.pass());
  t.same(waited, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  t.match(logger.of('warn')[0]?.details, { problem: 'the queue is away' });
  queue.broken = new Set();
  await sleep.pass();
  t.same(
    [...(await queue.untilPublished(120))].sort((a, b) => a - b),
    Array.from({ length: 120 }, (_, i) => i + 1),
    'then each company is told of once',
  );
  await queueOne(rig, 200, 200);
  await project(rig, relaying);
  await settle();
  t.equal(queue.published.at(-1), 200, 'and it goes on');
});

/** Read models that cannot be asked while `away` says so. */
const sometimesAway = (rig: Rig, away: () => boolean): Pick<ReadModelReader, 'findByIndex' | 'getMany'> => ({
  findByIndex: (...args) => {
    if (away()) throw new ReadModelsUnavailable('the read models are away');
    return rig.readModels.findByIndex(...args);
  },
  getMany: (collection, keys, take) => rig.readModels.getMany(collection, keys, take),
});

tap.test('read models that are away at the start are read later', async (t) => {
  const rig = await openRig(t);
  await queueOne(rig, 7, 1);
  await projectAll({ ...rig, projections });
  let away = true;
  const relaying = startRelay(
    t,
    sometimesAway(rig, () => away),
  );
  t.equal(await relaying.sleep.pass(), 100);
  away = false;
  await relaying.sleep.pass();
  t.same(await relaying.queue.untilPublished(1), [7]);
  t.match(relaying.logger.of('warn'), exactly([{ message: 'the pending imports were not read' }]));
});

tap.test('read models that are away for a moment cost a message too many', async (t) => {
  const rig = await openRig(t);
  await queueOne(rig, 8, 1);
  await projectAll({ ...rig, projections });
  let away = false;
  const relaying = startRelay(
    t,
    sometimesAway(rig, () => away),
  );
  await relaying.queue.untilPublished(1);
  away = true;
  await queueOne(rig, 8, 2);
  await project(rig, relaying);
  t.same(await relaying.queue.untilPublished(2), [8, 8]);
});

tap.test('a company that comes at whatever moment of another one is told of', async (t) => {
  const rig = await openRig(t);
  await queueOne(rig, 7, 1);
  await queueOne(rig, 8, 2);
  const [first, second] = await loaded(rig);
  if (!first || !second) throw new Error('an event is missing');
  for (let moments = 0; moments < 40; moments++) {
    let away = false;
    const { relay, queue } = startRelay(
      t,
      sometimesAway(rig, () => away),
    );
    await settle();
    away = true;
    void relay.onApplied(first);
    for (let moment = 0; moment < moments; moment++) await Promise.resolve();
    void relay.onApplied(second);
    await settle();
    t.same(queue.published, [7, 8], `${moments} moments later`);
  }
});

tap.test('stopped at rest, and while the queue is away', async (t) => {
  const rig = await openRig(t);
  const resting = startRelay(t, rig.readModels);
  await settle();
  resting.end.abort();
  await resting.running;
  const busy = startRelay(t, rig.readModels);
  busy.queue.broken = new Set(['publish']);
  await queueOne(rig, 7, 1);
  await project(rig, busy);
  await settle();
  busy.end.abort();
  await busy.running;
  t.same(busy.queue.published, []);
});

tap.test('two projectors on one log', async (t) => {
  const rig = await openRig(t);
  const relays = [startRelay(t, rig.readModels), startRelay(t, rig.readModels)];
  const run = (n: number, work: () => Promise<void>): Promise<void> =>
    whileProjecting(
      {
        log: rig.log,
        readModels: rig.readModels,
        projections,
        onApplied: (event) => relays[n]?.relay.onApplied(event) ?? Promise.resolve(),
      },
      work,
    );
  await run(0, () =>
    run(1, async () => {
      let last = 0n;
      for (let n = 1; n <= 30; n++) last = await queueOne(rig, n, n);
      t.ok(await rig.readModels.reachedPosition(last, 20_000));
    }),
  );
  await settle();
  const told = new Set(relays.flatMap(({ queue }) => queue.published));
  t.same(told.size, 30, 'every company is told of by one or the other');
});

tap.test('the message', async (t) => {
  const message = { type: 'company-has-work', companyId: 7, revision: 3 };
  t.same(JSON.parse(Buffer.from(companyHasWork(7, 3)).toString()), message);
});
