import { CHUNK_BYTES, EventLogUnavailable, type EventLog, type WrittenPayload } from '@rollcall/application';
import t from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import {
  company,
  dataOf,
  names,
  payloads,
  recorded,
  request,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

const hour = 60 * 60_000;
const body = Buffer.from(JSON.stringify(generatedEmployees(5_000)));
t.ok(body.length > 3 * CHUNK_BYTES && body.length % CHUNK_BYTES > 0);

const call = () => request('employees', body.toString(), { prefersAsync: true });

/** The body as it comes: in pieces of this length, in memory that is used for something else afterwards. */
async function arrive(
  on: Company,
  { context }: ReturnType<typeof call>,
  length: number,
  log: EventLog = on.log,
): Promise<WrittenPayload> {
  const arriving = on.engine({ log }).payloadWriter(context);
  try {
    for (let at = 0; at < body.length; at += length) {
      const piece = Uint8Array.from(body.subarray(at, at + length));
      await arriving.add(piece);
      piece.fill(0x21);
    }
    return await arriving.finish();
  } catch (error) {
    await arriving.discard();
    throw error;
  }
}

const accept = (on: Company, sent: ReturnType<typeof call>, payload: WrittenPayload | undefined) =>
  on.engine().acceptStored({ ...sent, body: stored(sent.bodySha256), payload });

const stored = (sha256: string) => ({
  length: body.length,
  sha256,
  read: (start: number, end: number) => body.subarray(start, end),
  copy: (into: Uint8Array, from: number) => body.copy(into, 0, from),
});

t.test('wherever pieces end, the payload is that of a body that is there whole', async (t) => {
  const whole = await company(t);
  const sent = call();
  t.match(await accept(whole, sent, undefined), { kind: 'queued' });
  const name = `payload-${sent.context.operationId}`;
  const expected = await recorded(whole.log, name);
  for (const length of [1_000, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, body.length]) {
    const on = await company(t);
    const payload = await arrive(on, sent, length);
    const written = on.log.appends.length;
    t.match(await accept(on, sent, payload), { kind: 'queued' });
    t.notOk(
      on.log.appends.slice(written).some((each) => each.stream === name),
      'it is not written again',
    );
    const found = await recorded(on.log, name);
    t.strictSame(
      found.map(({ id, data, metadata }) => [id, Buffer.from(data), Buffer.from(metadata).toString()]),
      expected.map(({ id, data, metadata }) => [id, Buffer.from(data), Buffer.from(metadata).toString()]),
    );
    t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }]));
    t.equal((await stateOf(on)).employees.count, 5_000);
  }
});

t.test('it waits for a log that is slow, and takes little memory meanwhile', async (t) => {
  const on = await company(t);
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const slow: EventLog = {
    ...on.log,
    append: async (...append) => {
      await opened;
      return on.log.append(...append);
    },
  };
  const arriving = on.engine({ log: slow }).payloadWriter(call().context);
  let taken = 0;
  const sending = (async () => {
    for (; taken < 100; taken++) await arriving.add(new Uint8Array(CHUNK_BYTES));
    return arriving.finish();
  })();
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  t.ok(taken < 12, `${taken} chunks were taken`);
  open();
  await sending;
  t.equal((await recorded(on.log, (await payloads(on.log))[0] ?? '')).length, 100);
});

t.test('what is discarded, at any moment, leaves nothing', async (t) => {
  for (const count of [0, 1, 2, 9]) {
    const on = await company(t);
    const arriving = on.engine().payloadWriter(call().context);
    for (let chunk = 0; chunk < count; chunk++) await arriving.add(new Uint8Array(CHUNK_BYTES - 1));
    await arriving.discard();
    t.strictSame(await payloads(on.log), []);
    t.ok(on.log.appends.length < 12);
  }
  const on = await company(t);
  const gone: EventLog = { ...on.log, append: () => Promise.reject(new EventLogUnavailable('gone')) };
  await t.rejects(arrive(on, call(), 100_000, gone), EventLogUnavailable);
  t.strictSame(await payloads(on.log), []);
});

t.test('an upload that took long is looked at again before an event refers to it', async (t) => {
  for (const [hours, isSwept, outcome] of [
    [1, false, 'queued'],
    [25, true, EventLogUnavailable],
  ] as const) {
    const on = await company(t);
    const sent = call();
    const payload = await arrive(on, sent, 100_000);
    const name = `payload-${sent.context.operationId}`;
    on.clock.at += hours * hour;
    if (isSwept) await on.log.deleteStream(name);
    const accepted = accept(on, sent, payload);
    if (typeof outcome !== 'string') {
      await t.rejects(accepted, outcome);
      t.strictSame(await names(on.log), ['CompanyConfigured']);
      continue;
    }
    t.match(await accepted, { kind: outcome });
    t.ok(on.log.appends.filter((each) => each.stream === name).length > 4, 'its chunks were met again');
    const queued = (await recorded(on.log, stream)).at(-1);
    t.match(dataOf(queued), { payload: { stream: name, bytes: body.length } });
    t.match(await runAll(on.engine()), exactly([{ outcome: 'done' }]));
  }
});
