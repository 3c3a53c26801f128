import type { Test } from 'tap';
import type { OpenFresh } from './event-log.suite.js';
import { catchUp, collect, itemText, newEvent, newEvents, next, placeOf, put } from './event-log.support.js';

export function subscriptionTests(t: Test, fresh: OpenFresh): void {
  t.test('catches up, then lives, then ends with the signal', async (t) => {
    const { log } = await fresh(t);
    const end = new AbortController();
    await put(log, 'survey-1', 'no-stream', newEvents(2));
    const subscription = log.subscribeToAll({ after: undefined, signal: end.signal })[Symbol.asyncIterator]();
    t.equal(itemText(await next(subscription)), 'survey-1@0');
    t.equal(itemText(await next(subscription)), 'survey-1@1');
    t.strictSame(await next(subscription), { kind: 'caught-up', position: await log.lastPosition() });
    const waiting = next(subscription);
    await put(log, 'survey-2', 'no-stream', [newEvent()]);
    t.equal(itemText(await waiting), 'survey-2@0');
    t.equal(itemText(await next(subscription)), 'caught-up');
    const ending = subscription.next();
    end.abort();
    t.equal((await ending).done, true);
    t.equal((await subscription.next()).done, true);
  });

  t.test('an empty log is caught up with at once', async (t) => {
    const { log } = await fresh(t);
    t.strictSame(await catchUp(log, undefined), { events: [], position: undefined });
  });

  t.test('a signal that is aborted already delivers nothing', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'survey-1', 'no-stream', [newEvent()]);
    t.strictSame(await collect(log.subscribeToAll({ after: undefined, signal: AbortSignal.abort() })), []);
  });

  t.test('it sees what another handle appends', async (t) => {
    const { log, under } = await fresh(t);
    const other = await under.open();
    const end = new AbortController();
    const subscription = log.subscribeToAll({ after: undefined, signal: end.signal })[Symbol.asyncIterator]();
    t.equal(itemText(await next(subscription)), 'caught-up');
    for (let n = 0; n < 5; n++) {
      await put(other, 'survey-1', n === 0 ? 'no-stream' : n - 1, [newEvent()]);
      t.equal(itemText(await next(subscription)), `survey-1@${n}`);
      t.equal(itemText(await next(subscription)), 'caught-up');
    }
    end.abort();
  });

  t.test('closing the log ends it', async (t) => {
    const { under } = await fresh(t);
    const other = await under.open();
    const { signal } = new AbortController();
    const subscription = other.subscribeToAll({ after: undefined, signal })[Symbol.asyncIterator]();
    await next(subscription);
    const ending = subscription.next();
    await other.close();
    t.equal((await ending).done, true);
  });

  t.test('it goes on behind any position, in the middle of an append too', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'survey-1', 'no-stream', newEvents(4));
    await put(log, 'survey-2', 'no-stream', newEvents(3));
    const all = (await catchUp(log, undefined)).events;
    t.equal(all.length, 7);
    for (const [index, event] of all.entries()) {
      const rest = await catchUp(log, event.position);
      t.strictSame(rest.events.map(placeOf), all.slice(index + 1).map(placeOf));
      t.equal(rest.position, all.at(-1)?.position);
    }
  });

  t.test('streams that are left out are passed over, and the place to resume with them', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'data-1', 'no-stream', newEvents(2));
    await put(log, 'survey-1', 'no-stream', [newEvent()]);
    await put(log, 'payload-1', 'no-stream', [newEvent('', { contentType: 'binary' })]);
    await put(log, 'surveyids', 'no-stream', [newEvent()]);
    const { position } = await put(log, 'data-2', 'no-stream', [newEvent()]);
    const seen = await catchUp(log, undefined, ['data-', 'payload-']);
    t.strictSame(seen.events.map(placeOf), ['survey-1@0', 'surveyids@0']);
    t.equal(seen.position, position);
    t.strictSame((await catchUp(log, position, ['data-'])).events, []);
  });

  t.test('a deleted stream is passed over', async (t) => {
    const { log } = await fresh(t);
    await put(log, 'payload-1', 'no-stream', newEvents(3));
    const { position } = await put(log, 'survey-1', 'no-stream', [newEvent()]);
    await log.deleteStream('payload-1');
    t.strictSame((await catchUp(log, undefined)).events.map(placeOf), ['survey-1@0']);
    await put(log, 'survey-2', 'no-stream', [newEvent()]);
    t.strictSame((await catchUp(log, position)).events.map(placeOf), ['survey-2@0']);
  });

  t.test('a long log comes whole and in order, while it grows', async (t) => {
    const { log } = await fresh(t);
    const end = new AbortController();
    const total = 2000;
    const writing = (async () => {
      for (let n = 0; n < total; n += 100) {
        const burst = Array.from({ length: 100 }, (_, k) =>
          put(log, `survey-${n + k}`, 'no-stream', [newEvent()]),
        );
        await Promise.all(burst);
      }
    })();
    const positions: bigint[] = [];
    for await (const item of log.subscribeToAll({ after: undefined, signal: end.signal })) {
      if (item.kind === 'event') positions.push(item.event.position);
      if (positions.length === total) end.abort();
    }
    await writing;
    t.equal(positions.length, total);
    t.ok(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? position)));
  });
  t.end();
}
