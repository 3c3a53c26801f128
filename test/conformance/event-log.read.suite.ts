import type { Test } from 'tap';
import type { OpenFresh } from './event-log.suite.js';
import { collect, newEvent, newEvents, put } from './event-log.support.js';

export function readTests(t: Test, fresh: OpenFresh): void {
  t.test('a stream that does not exist has no events', async (t) => {
    const { log } = await fresh(t);
    t.strictSame(await collect(log.readStream('survey-1')), []);
    t.strictSame(await collect(log.readStream('survey-1', { backwards: true })), []);
    t.equal(await log.readLast('survey-1'), undefined);
    t.equal(await log.lastPosition(), undefined);
  });

  t.test('forwards and backwards, from a revision (inclusive), and no more than the limit', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'survey-1', 'no-stream', newEvents(10));
    await put(log, 'survey-10', 'no-stream', newEvents(2));
    const revisions = async (options: { from?: number; limit?: number; backwards?: boolean }) =>
      (await collect(log.readStream('survey-1', options))).map((event) => event.revision);
    t.strictSame(await revisions({}), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    t.strictSame(await revisions({ from: 7 }), [7, 8, 9]);
    t.strictSame(await revisions({ from: 3, limit: 2 }), [3, 4]);
    t.strictSame(await revisions({ from: 10 }), [], 'past the end');
    t.strictSame(await revisions({ limit: 0 }), []);
    t.strictSame(await revisions({ backwards: true, limit: 3 }), [9, 8, 7]);
    t.strictSame(await revisions({ backwards: true, from: 2 }), [2, 1, 0]);
    t.strictSame(await revisions({ backwards: true, from: 99, limit: 1 }), [9]);
    t.equal((await log.readLast('survey-1'))?.revision, 9);
  });

  t.test('long streams and large events come whole', async (t) => {
    const { log } = await fresh(t);
    const large = Buffer.alloc(512 * 1024, 'z');
    for (let n = 0; n < 6; n++) {
      await put(log, 'data-1', n === 0 ? 'no-stream' : n - 1, [
        newEvent('', { contentType: 'binary', data: large }),
      ]);
    }
    await put(log, 'survey-1', 'no-stream', newEvents(1000));
    const pieces = await collect(log.readStream('data-1'));
    t.equal(pieces.length, 6);
    t.ok(pieces.every((piece) => large.equals(piece.data)));
    for (const { data } of pieces) data.fill(0);
    for await (const { data } of log.readStream('data-1'))
      t.ok(large.equals(data), 'what was read belongs to its reader alone');
    const events = await collect(log.readStream('survey-1'));
    t.strictSame(
      events.map((event) => event.revision),
      Array.from({ length: 1000 }, (_, n) => n),
    );
  });

  t.test('what one handle was answered, the other reads at once', async (t) => {
    const { log, under } = await fresh(t);
    const other = await under.open();
    for (let n = 0; n < 20; n++) {
      const { position } = await put(log, 'survey-1', n === 0 ? 'no-stream' : n - 1, [newEvent()]);
      t.equal((await other.readLast('survey-1'))?.revision, n);
      t.equal(await other.lastPosition(), position);
    }
  });

  t.test('the last position, with and without some streams', async (t) => {
    const { log } = await fresh(t);
    const withoutStreams = ['data-', 'payload-'];
    const last = () => log.lastPosition({ withoutStreams });
    await put(log, 'data-1', 'no-stream', newEvents(2));
    t.equal(await last(), undefined, 'nothing but what is left out');
    const { position } = await put(log, 'survey-1', 'no-stream', newEvents(2));
    t.equal(await last(), position);
    const { position: behind } = await put(log, 'payload-1', 'no-stream', newEvents(3));
    t.equal(await last(), position);
    t.equal(await log.lastPosition(), behind);
    await log.deleteStream('data-1');
    t.equal(await last(), position, 'a deletion is no event');
    const { position: next } = await put(log, 'surveyids', 'no-stream', newEvents(1));
    t.equal(await last(), next);
  });

  t.test('a reader that stops early leaves nothing behind', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'survey-1', 'no-stream', newEvents(600));
    for await (const event of log.readStream('survey-1')) if (event.revision === 3) break;
    t.equal((await put(log, 'survey-1', 599, [newEvent()])).revision, 600);
  });

  t.test('streams are listed by the beginning of their names', async (t) => {
    const { log } = await fresh(t);
    const first = await put(log, 'data-b', 'no-stream', [newEvent()]);
    await put(log, 'data-b', 0, [newEvent()]);
    await put(log, 'data-a', 'no-stream', newEvents(2));
    await put(log, 'data-c', 'no-stream', newEvents(2));
    await put(log, 'survey-1', 'no-stream', [newEvent()]);
    await put(log, 'company-1', 'no-stream', [newEvent()]);
    await log.deleteStream('data-c');
    const listed = await collect(log.listStreams('data-'));
    t.strictSame(listed.map((entry) => entry.stream).sort(), ['data-a', 'data-b']);
    t.equal(listed.find((entry) => entry.stream === 'data-b')?.position, first.position);
    t.strictSame(await collect(log.listStreams('nothing')), []);
  });

  t.test('more streams than one batch are listed', async (t) => {
    const { log } = await fresh(t);
    await Promise.all(
      Array.from({ length: 600 }, (_, n) => put(log, `survey-${n}`, 'no-stream', [newEvent()])),
    );
    const listed = await collect(log.listStreams('survey-'));
    t.equal(new Set(listed.map((entry) => entry.stream)).size, 600);
    t.equal(listed.length, 600);
  });
  t.end();
}
