import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { stagedReference } from '@rollcall/application';
import { Sweeper } from '@rollcall/projector';

import t from 'tap';
import { append, openRig, largeRefusal, refused, swept, type Rig } from './projector.support.js';

const DAY = 24 * 60 * 60_000;

/** A `data-` stream that an append left behind: its event never came. */
async function orphan(on: Rig): Promise<string> {
  const lost = { ...on.log, append: on.log.append.bind(on.log) };
  lost.append = (stream, expected, events) => {
    if (stream === 'operation-lost') throw new TypeError('killed');
    return on.log.append(stream, expected, events);
  };
  await append({ log: lost, clock: on.clock }, 'operation-lost', largeRefusal()).catch(() => undefined);
  const known = new Set(await referenced(on));
  const streams = await dataStreams(on);
  return streams.find((stream) => !known.has(stream)) ?? '';
}

async function referenced({ log }: Rig): Promise<string[]> {
  const streams: string[] = [];
  for await (const event of log.readStream('operation-1')) {
    const reference = stagedReference(event.data);
    if (reference !== undefined) streams.push(reference.stream);
  }
  return streams;
}

async function dataStreams({ log }: Rig): Promise<string[]> {
  const streams: string[] = [];
  for await (const { stream } of log.listStreams('data-')) streams.push(stream);
  return streams;
}

t.test('data that no event refers to goes after 24 hours, and not before', async (t) => {
  const on = await openRig(t);
  await append(on, 'operation-1', largeRefusal());
  const left = await orphan(on);
  const sweeper = new Sweeper(on);
  t.equal((await dataStreams(on)).length, 2);
  on.clock.at += DAY;
  t.strictSame(await sweeper.sweep(), []);
  on.clock.at += 1;
  t.strictSame(await swept(sweeper), [left]);
  t.strictSame(await dataStreams(on), await referenced(on));
  t.strictSame(await sweeper.sweep(), []);
});

t.test('what is referred to stays for ever, also what came later', async (t) => {
  const on = await openRig(t);
  const sweeper = new Sweeper(on);
  for (let round = 0; round < 3; round += 1) {
    await append(on, 'operation-1', [refused(), largeRefusal(600_000 + round)]);
    on.clock.at += 2 * DAY;
    t.strictSame(await sweeper.sweep(), []);
    t.strictSame(await new Sweeper(on).sweep(), []);
  }
  t.equal((await dataStreams(on)).length, 3);
});

t.test('a name that any event mentions is kept, whatever the event is', async (t) => {
  const on = await openRig(t);
  const left = await orphan(on);
  on.clock.at += 2 * DAY;
  const event = {
    id: '019aa2f0-5c00-4000-8000-000000000001',
    contentType: 'json',
    metadata: Buffer.from('{}'),
  } as const;
  const data = Buffer.from(`{"staged":{"stream":"${left}","sealed":true}}`);
  await on.log.append('operation-9', 'no-stream', [{ ...event, type: 'ImportRefused.v2', data }]);
  t.strictSame(await new Sweeper(on).sweep(), []);
});

t.test('a stream whose age cannot be read is kept', async (t) => {
  const on = await openRig(t);
  const piece = { contentType: 'binary', type: 'DataPiece', data: Buffer.from('x') } as const;
  const id = '019aa2f0-5c00-4000-8000-000000000002';
  const stream = `data-${id}-0123456789abcdef`;
  await on.log.append(stream, 'no-stream', [
    { ...piece, id, metadata: Buffer.from('{"recordedAt":"once"}') },
  ]);
  on.clock.at += 100 * DAY;
  t.strictSame(await new Sweeper(on).sweep(), []);
});

t.test('of an event only the names stay in memory, however long the text is that has them', async (t) => {
  const on = await openRig(t);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => (collect(), process.memoryUsage().heapUsed);
  for (let count = 0; count < 40; count += 1)
    await append(
      on,
      'operation-1',
      refused([`data-${randomUUID()}-${'0'.repeat(16)}${'x'.repeat(400_000)}`]),
    );
  await orphan(on);
  on.clock.at += 2 * DAY;
  const sweeper = new Sweeper(on);
  const before = heap();
  t.equal((await swept(sweeper)).length, 1);
  t.ok(heap() - before < 4_000_000, 'the texts are 16 MB');
  t.strictSame(await sweeper.sweep(), []);
});
