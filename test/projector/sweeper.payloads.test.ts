import { Sweeper } from '@rollcall/projector';
import t from 'tap';
import { id, operationId, payload, person, write } from './import-calls.support.js';
import {
  attemptFailed,
  cancelled,
  failed,
  queued,
  rolesConfirmed,
  rolesImported,
  setConfirmed,
} from './import-events.support.js';
import { append, openRig, employeeSet, swept, type Rig } from './projector.support.js';

const DAY = 24 * 60 * 60_000;
const stream = `payload-${operationId}`;

async function payloads({ log }: Rig): Promise<string[]> {
  const streams: string[] = [];
  for await (const found of log.listStreams('payload-')) streams.push(found.stream);
  return streams;
}

/** A queued import, its payload written before. */
async function accepted(on: Rig, operation = operationId): Promise<void> {
  await write(on, [queued(operation, { payload: await payload(on, operation) })]);
}

t.test('a payload whose call was never queued goes after 24 hours, and not before', async (t) => {
  const on = await openRig(t);
  await accepted(on, id(2));
  await payload(on, operationId);
  const sweeper = new Sweeper(on);
  on.clock.at += DAY;
  t.strictSame(await sweeper.sweep(), []);
  on.clock.at += 1;
  t.strictSame(await swept(sweeper), [stream]);
  t.strictSame(await payloads(on), [`payload-${id(2)}`]);
  t.strictSame(await sweeper.sweep(), []);
});

t.test('the payload of a pending import stays, however long it waits', async (t) => {
  const on = await openRig(t);
  await accepted(on);
  const sweeper = new Sweeper(on);
  for (let round = 0; round < 3; round += 1) {
    on.clock.at += 30 * DAY;
    await write(on, [attemptFailed(operationId)]);
    t.strictSame(await sweeper.sweep(), []);
    t.strictSame(await new Sweeper(on).sweep(), []);
  }
  t.strictSame(await payloads(on), [stream]);
});

t.test('the payload of an import that ended goes 7 days after its end, and not before', async (t) => {
  const own = { operationId };
  const change = { added: [{ number: 1, id: 'a' }], total: 1, lastNumber: 1 };
  const ends: [string, (on: Rig) => Promise<unknown>][] = [
    ['replaced', (on) => append(on, 'company-7', employeeSet(change), own)],
    ['confirmed', (on) => write(on, [setConfirmed(operationId)])],
    ['roles imported', (on) => write(on, [rolesImported(operationId, { created: 1 })])],
    ['roles confirmed', (on) => write(on, [rolesConfirmed(operationId)])],
    ['failed', (on) => write(on, [failed(operationId)])],
    ['cancelled', (on) => write(on, [cancelled(operationId)], person)],
  ];
  for (const [what, end] of ends) {
    const on = await openRig(t);
    await accepted(on);
    await accepted(on, id(2));
    on.clock.at += 20 * DAY;
    await end(on);
    const sweeper = new Sweeper(on);
    on.clock.at += 7 * DAY;
    t.strictSame(await sweeper.sweep(), [], what);
    on.clock.at += 1;
    t.strictSame(await swept(sweeper), [stream], what);
    t.strictSame(await payloads(on), [`payload-${id(2)}`], what);
  }
});

t.test('a sweeper that has looked before sees what came later', async (t) => {
  const on = await openRig(t);
  await accepted(on);
  const sweeper = new Sweeper(on);
  on.clock.at += 2 * DAY;
  t.strictSame(await sweeper.sweep(), []);
  await write(on, [failed(operationId)]);
  on.clock.at += 6 * DAY;
  t.strictSame(await sweeper.sweep(), []);
  on.clock.at += DAY + 1;
  t.strictSame(await swept(sweeper), [stream]);
});

t.test('a payload that something else refers to stays for ever', async (t) => {
  for (const first of ['own', 'other']) {
    const on = await openRig(t);
    const reference = await payload(on, operationId);
    const both = [queued(operationId, { payload: reference }), queued(id(2), { payload: reference })];
    await write(on, first === 'own' ? both : both.reverse());
    await write(on, [failed(operationId), failed(id(2))]);
    on.clock.at += 100 * DAY;
    t.strictSame(await new Sweeper(on).sweep(), []);
  }
  const on = await openRig(t);
  await payload(on, operationId);
  const event = {
    id: '019aa2f0-5c00-4000-8000-000000000001',
    contentType: 'json',
    metadata: Buffer.from(`{"operationId":"${operationId}"}`),
    data: Buffer.from(`{"sealed":{"stream":"${stream}"}}`),
  } as const;
  await on.log.append('operation-9', 'no-stream', [{ ...event, type: 'ImportQueued.v2' }]);
  on.clock.at += 100 * DAY;
  t.strictSame(await new Sweeper(on).sweep(), []);
});

t.test('a text that names the payload is no reference', async (t) => {
  const on = await openRig(t);
  await accepted(on);
  const text = `the payload in ${stream}, {"stream":"${stream}"}, is not what was queued`;
  await write(on, [failed(operationId, { reason: text, validationErrors: [stream] })]);
  on.clock.at += 7 * DAY + 1;
  t.strictSame(await swept(new Sweeper(on)), [stream]);
});

t.test('an age that cannot be read keeps a payload', async (t) => {
  const on = await openRig(t);
  const piece = { contentType: 'binary', type: 'DataPiece', data: Buffer.from('x') } as const;
  const metadata = Buffer.from('{"recordedAt":"once"}');
  await on.log.append(stream, 'no-stream', [{ ...piece, id: id(3), metadata }]);
  on.clock.at += 100 * DAY;
  t.strictSame(await new Sweeper(on).sweep(), []);
});
