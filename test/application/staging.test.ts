import {
  CHAIN_START,
  decideAndAppend,
  foldStream,
  CHUNK_BYTES,
  verifyChain,
  type EventLog,
} from '@rollcall/application';
import { createHash } from 'node:crypto';
import t from 'tap';
import { callContext, clockAt, scriptedLog } from './decide-and-append.support.js';
import {
  clock,
  dyingWrite,
  employeeSet,
  json,
  large,
  last,
  recordedOf,
  sized,
  sourceOf,
  STREAM,
  nameOf,
  streams,
  textOf,
  verifyPieces,
  write,
} from './staging.support.js';

t.test('data of 512 KiB stands in the event, one byte more does not', async (t) => {
  const log = await scriptedLog(t);
  const small = await write(log, sourceOf(sized(CHUNK_BYTES), 1000));
  t.strictSame(await streams(log), []);
  t.equal(small.size, CHUNK_BYTES);
  t.ok((await textOf(small)).equals(sized(CHUNK_BYTES)));
  const over = await write(log, sourceOf(sized(CHUNK_BYTES + 1), 1000));
  t.equal((await streams(log)).length, 1);
  t.equal(over.size, CHUNK_BYTES + 1);
  t.ok((await textOf(over)).equals(sized(CHUNK_BYTES + 1)));
});

t.test('large data is stored as a reference to pieces', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const event = await write(log, sourceOf(large, 70_001), context);
  const sha256 = createHash('sha256').update(large).digest('hex');
  const stream = nameOf(context, 1);
  t.strictSame(await streams(log), [stream]);
  const [own] = await recordedOf(log, STREAM);
  const count = Math.ceil(large.length / CHUNK_BYTES);
  t.strictSame(JSON.parse(Buffer.from(own?.data ?? []).toString()), {
    staged: { stream, count, bytes: large.length, sha256 },
  });
  const pieces = await recordedOf(log, stream);
  t.equal(pieces.length, count);
  t.ok(count > 2 && pieces.slice(0, -1).every((piece) => piece.data.byteLength === CHUNK_BYTES));
  t.ok(Buffer.concat(pieces.map((piece) => piece.data)).equals(large));
  let chain = CHAIN_START;
  for (const piece of pieces) {
    chain = verifyChain(chain, piece);
    t.equal(piece.contentType, 'binary');
    const metadata = JSON.parse(Buffer.from(piece.metadata).toString()) as Record<string, unknown>;
    t.strictSame(
      { ...metadata, chain: '' },
      { ...context, recordedAt: '2026-11-21T09:00:00.000Z', chain: '' },
    );
  }
  t.ok(
    (pieces.at(-1)?.position ?? 0n) < event.position,
    'the pieces are there before the event that needs them',
  );
});

t.test('it is read back as it was written, whole and in pieces', async (t) => {
  const log = await scriptedLog(t);
  await write(log, sourceOf(large, 1_000_000));
  const { state } = await foldStream(log, STREAM, last);
  if (state === undefined) throw new Error('no event');
  t.equal(state.size, large.length);
  t.ok((await textOf(state)).equals(large));
  const data = await state.data('EmployeeSetReplaced');
  t.equal(data.added.length, 6000);
  t.equal(data.added[17]?.values.Lastname, '李');
  await t.rejects(state.data('SurveyCreated'), TypeError);
});

t.test('a decision with large data in hand is staged too', async (t) => {
  const log = await scriptedLog(t);
  const decide = () => ({
    kind: 'events' as const,
    events: [{ name: 'EmployeeSetReplaced' as const, data: employeeSet(6000) }],
  });
  await decideAndAppend({ log, clock }, { stream: STREAM, context: callContext(), fold: last, decide });
  t.equal((await streams(log)).length, 1);
  const { state } = await foldStream(log, STREAM, last);
  t.ok(state !== undefined && (await textOf(state)).equals(large));
});

t.test('a source is run once, whatever its size', async (t) => {
  const log = await scriptedLog(t);
  const [big, small] = [sourceOf(large, 100_000), sourceOf(json(employeeSet(1)), 100)];
  await write(log, big);
  await write(log, small);
  t.strictSame([big.runs, small.runs], [1, 1]);
});

t.test('a source that fails leaves nothing that an event refers to', async (t) => {
  const log = await scriptedLog(t);
  const failing = {
    chunks: function* () {
      yield large;
      throw new RangeError('no more');
    },
  };
  await t.rejects(write(log, failing), RangeError);
  t.strictSame(await recordedOf(log, STREAM), []);
  await verifyPieces(log);
});

t.test('losses on the way are repeated without harm', async (t) => {
  const log = await scriptedLog(t);
  log.script = [
    'lost after',
    'through',
    'lost before',
    'lost after',
    'lost before',
    'through',
    'lost before',
    'lost after',
  ];
  const event = await write(log, sourceOf(large, 100_000));
  t.ok((await textOf(event)).equals(large));
  await verifyPieces(log);
});

t.test('a piece that overtakes a lost one waits and goes again behind it', async (t) => {
  const log = await scriptedLog(t);
  log.script = ['through', 'lost before'];
  const source = sourceOf(large, 100_000);
  const overtaken = async () => {
    while (!log.appends.some((append) => append.outcome === 'wrong-revision')) await turn();
    for (let turns = 0; turns < 50; turns++) await turn();
  };
  const outcome = await decideAndAppend(
    { log, clock, sleep: overtaken },
    {
      stream: STREAM,
      context: callContext(),
      fold: last,
      isFresh: true,
      decide: () => ({ kind: 'events', events: [{ name: 'EmployeeSetReplaced', source }] }),
    },
  );
  t.equal(outcome.kind, 'appended');
  await verifyPieces(log);
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('an operation that died in the middle and comes again meets its own pieces', async (t) => {
  for (const survived of [1, 2, 3]) {
    await t.test(`after ${survived} pieces`, async (t) => {
      const log = await scriptedLog(t);
      const context = callContext();
      await dyingWrite(log, context, survived);
      const later = { log, clock: clockAt('2026-11-21T21:00:00Z') };
      const source = sourceOf(large, 100_000);
      const decide = () => ({
        kind: 'events' as const,
        events: [{ name: 'EmployeeSetReplaced' as const, source }],
      });
      const outcome = await decideAndAppend(later, { stream: STREAM, context, fold: last, decide });
      t.equal(outcome.kind, 'appended');
      t.equal((await streams(log)).length, 1);
      await verifyPieces(log);
      t.ok(
        (await textOf(outcome.loaded.state ?? (await Promise.reject(new Error('no event'))))).equals(large),
      );
    });
  }
});

t.test('two at once with the same operation and content meet', async (t) => {
  const log = await scriptedLog(t);
  const context = callContext();
  const [a, b] = await Promise.all([
    write(log, sourceOf(large, 100_000), context),
    write(log, sourceOf(large, 90_000), context),
  ]);
  t.equal(a.id, b.id);
  t.equal((await recordedOf(log, STREAM)).length, 1);
  t.equal((await streams(log)).length, 1);
  await verifyPieces(log);
});

t.test('chunks are on their way before the source has come to its end', async (t) => {
  const log = await scriptedLog(t);
  for (const isFresh of [true, false]) {
    const behind: number[] = [];
    let given = 0;
    const source = {
      chunks: function* () {
        for (let at = 0; at < 20; at++, given++) yield Buffer.alloc(CHUNK_BYTES, 'x');
      },
    };
    const watched: EventLog = {
      ...log,
      append: (stream, ...rest) => {
        if (stream.startsWith('data-')) behind.push(given - behind.length);
        return log.append(stream, ...rest);
      },
    };
    const decide = () => ({
      kind: 'events' as const,
      events: [{ name: 'EmployeeSetReplaced' as const, source }],
    });
    const context = callContext();
    const request = {
      stream: `survey-${behind.length}${isFresh ? 1 : 2}`,
      context,
      fold: last,
      isFresh,
      decide,
    };
    await decideAndAppend({ log: watched, clock }, request);
    t.equal(behind.length, 20);
    t.ok(Math.max(...behind) <= 2, `never more than what is cut: ${behind.join(' ')}`);
  }
});
