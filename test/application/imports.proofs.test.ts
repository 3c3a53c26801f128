import {
  type EventLog,
  type ImportEngineOptions,
  type RecordedEvent,
  RunStopped,
  type UnprovenReason,
} from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import t, { type Test } from 'tap';
import {
  append,
  company,
  configure,
  names,
  payloads,
  people,
  queue,
  recorded,
  request,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { openBodies } from '../support/open-bodies.js';
import { exactly } from '../support/exactly.js';

/** Counts the lists that are read: each asks for what stands in front of its messages. */
class ReadingDigester extends Digester {
  lists = 0;

  override messageHeads(): readonly [Uint8Array, Uint8Array] {
    this.lists += 1;
    return super.messageHeads();
  }
}

const count = 3000;
const numbers = Array.from({ length: count }, (_, n) => n + 1);
/** More than is read again sooner than its proof, with employees that the fast reader leaves to the rules in full. */
const many = (changed = 'Ada') =>
  people(...numbers).map((each, n) => ({
    ...each,
    Firstname: n % 7 === 0 ? changed : 'Åse',
    ...(n % 11 === 0 && { Shoes: { size: 41 } }),
  }));

const proofOf = (operationId: string): string => `payload-${operationId}-1`;

interface Rig extends Company {
  readonly reading: ReadingDigester;
  readonly unproven: UnprovenReason[];
  readonly worker: (change?: Partial<ImportEngineOptions>) => ReturnType<Company['engine']>;
}

async function rig(t: Test): Promise<Rig> {
  const on = await company(t, { queueThreshold: 1_000_000 });
  const reading = new ReadingDigester(Buffer.alloc(32, 5));
  const unproven: UnprovenReason[] = [];
  const onUnproven = (reason: UnprovenReason): void => void unproven.push(reason);
  const worker = (change = {}) => on.engine({ digester: reading, onUnproven, ...change });
  return { ...on, reading, unproven, worker };
}

/** The chunks of the last event's text. */
async function lastText({ log }: Company): Promise<string> {
  const event = (await recorded(log, stream)).at(-1);
  const text = Buffer.from(event?.data ?? []).toString();
  const staged = /^\{"staged":\{"stream":"(?<name>[^"]+)"/.exec(text)?.groups?.['name'];
  if (staged === undefined) return text;
  return Buffer.concat((await recorded(log, staged)).map(({ data }) => data)).toString();
}

/** Without what differs between two operations. */
const bare = (text: string): string => text.replace(/"operationId":"[^"]+"/, '');

t.test('what acceptance has proved is not proved again: the run comes to the same event', async (t) => {
  const direct = await rig(t);
  await direct.engine().accept(request('employees', many()));
  await direct.engine().accept(request('employees', many('Eva')));
  const queued = await rig(t);
  await queue(queued.engine(), 'employees', many());
  await queue(queued.engine(), 'employees', many('Eva'));
  t.match(await runAll(queued.worker()), exactly([{ outcome: 'done' }, { outcome: 'done' }]));
  t.equal(queued.reading.lists, 0);
  t.equal(await openBodies(queued.folder), 0);
  t.strictSame(queued.unproven, []);
  t.ok(bare(await lastText(queued)) === bare(await lastText(direct)));
  t.equal((await stateOf(queued)).employees.setDigest, (await stateOf(direct)).employees.setDigest);
});

t.test('a run that is to be left ends between two chunks of its body', async (t) => {
  const on = await rig(t);
  await queue(on.engine(), 'employees', many());
  let looks = 0;
  const leaving = on.worker({ rules: 'of another version', abandonsRuns: () => ++looks > 1 });
  await t.rejects(leaving.runOldest(7), RunStopped);
  t.equal(looks, 2, 'one chunk was read, and the next one was not');
  t.match(await runAll(on.worker()), exactly([{ outcome: 'done' }]), 'and it is no failed attempt');
  t.equal((await stateOf(on)).employees.count, count);
});

t.test('without a proof that fits the body is read again, and that is told', async (t) => {
  const bent = (log: EventLog): EventLog['readStream'] =>
    async function* (name, options) {
      for await (const event of log.readStream(name, options))
        yield name.endsWith('-1') ? withBent(event, 1000) : event;
    };
  const cases: Record<
    UnprovenReason,
    (on: Rig, operationId: string) => Promise<Partial<ImportEngineOptions>>
  > = {
    missing: async ({ log }, operationId) => {
      await log.deleteStream(proofOf(operationId));
      return {};
    },
    'other-rules': () => Promise.resolve({ rules: 'of another version' }),
    misfit: ({ log }) => Promise.resolve({ log: { ...log, readStream: bent(log) } }),
  };
  for (const [reason, spoil] of Object.entries(cases)) {
    const on = await rig(t);
    const operationId = await queue(on.engine(), 'employees', many());
    const change = await spoil(on, operationId);
    t.match(await runAll(on.worker(change)), exactly([{ outcome: 'done' }]), reason);
    t.strictSame(on.unproven, [reason]);
    t.equal(on.reading.lists, 1);
    t.equal((await stateOf(on)).employees.count, count);
  }
});

function withBent(event: RecordedEvent, at: number): RecordedEvent {
  const data = Buffer.from(event.data);
  data[at] = (data[at] ?? 0) ^ 1;
  return { ...event, data };
}

t.test('a proof says nothing of settings: they are those of the moment when the import runs', async (t) => {
  const on = await rig(t);
  await queue(on.engine(), 'employees', many());
  await configure(on, { integrationEnabled: false });
  t.match(await runAll(on.worker()), exactly([{ outcome: 'failed', reason: /integration is not allowed/ }]));
});

t.test('the last body once more is not read by its run, and no proof is missed', async (t) => {
  const on = await rig(t);
  const engine = on.worker();
  await queue(engine, 'employees', many());
  await runAll(engine);
  const operationId = await queue(engine, 'employees', many());
  t.strictSame(await recorded(on.log, proofOf(operationId)), []);
  const { lists } = on.reading;
  t.match(await runAll(engine), exactly([{ outcome: 'done' }]));
  t.equal(on.reading.lists, lists);
  t.strictSame(on.unproven, []);
});

t.test('a small body has no proof', async (t) => {
  const on = await rig(t);
  const operationId = await queue(on.engine(), 'employees', people(1, 2));
  t.strictSame(await payloads(on.log), [`payload-${operationId}`]);
  t.match(await runAll(on.worker()), exactly([{ outcome: 'done' }]));
  t.strictSame(on.unproven, []);
});

t.test('a call that ends otherwise than queued takes the proof with the payload', async (t) => {
  const on = await rig(t);
  on.log.script = ['through', 'through', () => configure(on, { integrationEnabled: false })];
  const call = request('employees', many(), { prefersAsync: true });
  t.match(await on.engine().accept(call), { kind: 'refused' });
  t.strictSame(await payloads(on.log), []);
});

t.test('a call that is decided again before it is queued has written its payload once', async (t) => {
  for (const list of [people(1), many()]) {
    const on = await rig(t);
    const first = await queue(on.engine(), 'employees', people(1));
    const cancelled = { name: 'ImportCancelled', data: { operationId: first, kind: 'employees' } } as const;
    const chunks = list.length > 1 ? 2 : 1;
    on.log.script = [...Array<'through'>(chunks).fill('through'), () => append(on, cancelled)];
    on.log.appends.length = 0;
    const operationId = await queue(on.engine(), 'employees', list);
    const written = on.log.appends.filter((each) => each.stream.startsWith(`payload-${operationId}`));
    t.equal(written.length, chunks);
    t.strictSame((await names(on.log)).slice(-2), ['ImportCancelled', 'ImportQueued']);
    t.match(await runAll(on.worker()), exactly([{ outcome: 'done' }]));
  }
});
