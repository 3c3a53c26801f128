import { AppendTooLarge, EventLogUnavailable, StreamDeleted } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './event-log.suite.js';
import { collect, newEvent, newEvents, placeOf, put } from './event-log.support.js';

export function appendTests(t: Test, fresh: OpenFresh): void {
  t.test('the first event has revision 0 and later ones follow it', async (t) => {
    const { log } = await fresh(t);
    const first = await put(log, 'survey-1', 'no-stream', [newEvent()]);
    const second = await put(log, 'survey-1', 0, newEvents(3));
    t.equal(first.revision, 0);
    t.equal(second.revision, 3);
    t.ok(second.position > first.position);
  });

  t.test('an event comes back as it was written', async (t) => {
    const { log } = await fresh(t);
    const json = newEvent('née 你好 🙂');
    const binary = newEvent('', {
      contentType: 'binary',
      data: Buffer.from([0, 255, 1, 254]),
      type: 'Piece',
    });
    const empty = newEvent('', { contentType: 'binary', data: new Uint8Array(0) });
    const events = [json, binary, empty];
    const { position } = await put(log, 'survey-1', 'no-stream', events);
    const stored = await collect(log.readStream('survey-1'));
    t.equal(stored.length, 3);
    for (const [index, event] of stored.entries()) {
      const { id, type, contentType, data, metadata } = event;
      t.strictSame({ id, type, contentType }, pick(events[index]));
      t.ok(Buffer.from(data).equals(events[index]?.data ?? Buffer.from('?')));
      t.ok(Buffer.from(metadata).equals(events[index]?.metadata ?? Buffer.from('?')));
      t.equal(placeOf(event), `survey-1@${index}`);
    }
    t.equal(stored.at(-1)?.position, position);
  });

  t.test('a wrong revision names the actual one and writes nothing', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'survey-1', 'no-stream', newEvents(2));
    const wrong = { outcome: 'wrong-revision', actual: 1 };
    t.strictSame(await log.append('survey-1', 'no-stream', [newEvent()]), wrong);
    t.strictSame(await log.append('survey-1', 0, [newEvent()]), wrong);
    t.strictSame(await log.append('survey-1', 2, [newEvent()]), wrong);
    t.strictSame(await log.append('survey-2', 0, [newEvent()]), {
      outcome: 'wrong-revision',
      actual: 'no-stream',
    });
    t.equal((await collect(log.readStream('survey-1'))).length, 2);
    t.equal((await collect(log.readStream('survey-2'))).length, 0);
  });

  t.test('a repeat answers with the first result, a prefix or a sub-run too', async (t) => {
    const { log } = await fresh(t);
    const [one, two, three] = [newEvent(), newEvent(), newEvent()];
    const whole = await put(log, 'survey-1', 'no-stream', [one, two, three]);
    await put(log, 'survey-1', 2, [newEvent()]);
    const again = await put(log, 'survey-1', 'no-stream', [one, two, three]);
    t.strictSame([again.revision, again.position], [whole.revision, whole.position]);
    t.equal((await put(log, 'survey-1', 'no-stream', [one])).revision, 0);
    t.equal((await put(log, 'survey-1', 'no-stream', [one, two])).revision, 1);
    t.equal((await put(log, 'survey-1', 0, [two, three])).revision, 2);
    t.equal((await put(log, 'survey-1', 1, [three])).position, whole.position);
    t.equal((await collect(log.readStream('survey-1'))).length, 4);
  });

  t.test('a set that is known in part is a wrong revision', async (t) => {
    const { log } = await fresh(t);
    const [one, two, three] = [newEvent(), newEvent(), newEvent()];
    await put(log, 'survey-1', 'no-stream', [one, two]);
    const wrong = { outcome: 'wrong-revision', actual: 1 };
    t.strictSame(await log.append('survey-1', 'no-stream', [one, two, three]), wrong);
    t.strictSame(await log.append('survey-1', 'no-stream', [one, three]), wrong);
    t.strictSame(await log.append('survey-1', 'no-stream', [two]), wrong);
    t.equal((await collect(log.readStream('survey-1'))).length, 2);
  });

  t.test('the same id is another event elsewhere', async (t) => {
    const { log } = await fresh(t);
    const event = newEvent();
    await put(log, 'survey-1', 'no-stream', [event]);
    t.equal((await put(log, 'survey-2', 'no-stream', [event])).revision, 0);
    t.equal((await put(log, 'survey-1', 0, [event])).revision, 1, 'at the head it is written again');
  });

  t.test('the limit counts the bytes of the data and nothing else', async (t) => {
    const { log } = await fresh(t);
    const limit = log.maxAppendBytes;
    const weighing = (bytes: number) =>
      newEvent('', {
        data: Buffer.alloc(bytes, 'x'),
        metadata: Buffer.from(`{"a":"${'y'.repeat(100_000)}"}`),
      });
    t.equal(limit, 1_048_576);
    t.equal((await put(log, 'survey-1', 'no-stream', [weighing(limit)])).revision, 0);
    t.equal((await put(log, 'survey-1', 0, [weighing(limit - 10), weighing(10)])).revision, 2);
    await t.rejects(log.append('survey-2', 'no-stream', [weighing(limit + 1)]), AppendTooLarge);
    await t.rejects(log.append('survey-2', 'no-stream', [weighing(limit), weighing(1)]), AppendTooLarge);
    t.equal(
      (await put(log, 'survey-2', 'no-stream', [newEvent()])).revision,
      0,
      'nothing of them was written',
    );
  });

  t.test('misuse throws and writes nothing', async (t) => {
    const { log } = await fresh(t);
    await t.rejects(log.append('survey-1', 'no-stream', []), RangeError);
    await t.rejects(log.append('survey-1', -1, [newEvent()]), RangeError);
    await t.rejects(log.append('survey-1', 0.5, [newEvent()]), RangeError);
    await t.rejects(log.append('', 'no-stream', [newEvent()]), RangeError);
    await t.rejects(log.append('survey-1', 'no-stream', [newEvent('x', { id: 'no uuid' })]), RangeError);
    const upperCase = newEvent('x', { id: newEvent().id.toUpperCase() });
    await t.rejects(log.append('survey-1', 'no-stream', [upperCase]), RangeError);
    for (const type of ['', '$odd', 'x'.repeat(256)])
      await t.rejects(log.append('survey-1', 'no-stream', [newEvent('x', { type })]), RangeError, type);
    t.equal(await log.lastPosition(), undefined);
  });

  t.test('of concurrent appends to a new stream exactly one wins', async (t) => {
    const { log, under } = await fresh(t);
    const other = await under.open();
    for (let round = 0; round < 10; round++) {
      const stream = `survey-${round}`;
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 ? log : other).append(stream, 'no-stream', [newEvent()])),
      );
      t.equal(results.filter((result) => result.outcome === 'appended').length, 1);
      t.equal((await collect(log.readStream(stream))).length, 1);
    }
  });

  t.test('appends that are not awaited keep their order', async (t) => {
    const { log } = await fresh(t);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        log.append('data-1', n === 0 ? 'no-stream' : n - 1, [newEvent(`${n}`)]),
      ),
    );
    t.ok(results.every((result) => result.outcome === 'appended'));
    const stored = await collect(log.readStream('data-1'));
    t.strictSame(
      stored.map(placeOf),
      Array.from({ length: 50 }, (_, n) => `data-1@${n}`),
    );
    const positions = stored.map((event) => event.position);
    t.strictSame(
      positions,
      [...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)),
      'strictly increasing',
    );
  });

  t.test('a deleted stream is gone, and its name with it', async (t) => {
    const { log } = await fresh(t);
    const event = newEvent();
    await put(log, 'payload-1', 'no-stream', [event, newEvent('', { contentType: 'binary' })]);
    const before = await put(log, 'survey-1', 'no-stream', [newEvent()]);
    await log.deleteStream('payload-1');
    await log.deleteStream('payload-1');
    await log.deleteStream('payload-2');
    t.strictSame(await collect(log.readStream('payload-1')), []);
    t.equal(await log.readLast('payload-1'), undefined);
    await t.rejects(log.append('payload-1', 'no-stream', [event]), StreamDeleted, 'a repeat is refused too');
    await t.rejects(log.append('payload-1', 1, [newEvent()]), StreamDeleted);
    await t.rejects(
      log.append('payload-2', 'no-stream', [newEvent()]),
      StreamDeleted,
      'it was never written',
    );
    const after = await put(log, 'survey-1', 0, [newEvent()]);
    t.ok(after.position > before.position);
  });

  t.test('a closed log is away', async (t) => {
    const { log } = await fresh(t);
    await log.close();
    await log.close();
    await t.rejects(log.append('survey-1', 'no-stream', [newEvent()]), EventLogUnavailable);
    await t.rejects(log.readLast('survey-1'), EventLogUnavailable);
    await t.rejects(log.lastPosition(), EventLogUnavailable);
  });
  t.end();
}

const pick = (event: { id: string; type: string; contentType: string } | undefined) =>
  event && { id: event.id, type: event.type, contentType: event.contentType };
