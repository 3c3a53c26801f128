import { EventLogUnavailable, ImportsBusy, type ImportRequest } from '@rollcall/application';
import t from 'tap';
import { AcceptQueue } from './accept-queue.js';
import { bareCall } from './calls.testing.js';
import type { ThreadAnswer } from './thread-tasks.js';

const outcome: ThreadAnswer = { outcome: { kind: 'key-reused' }, state: undefined };

const request: ImportRequest = { ...bareCall, body: new Uint8Array(2), bodySha256: '00' };

/** A thread that opens when it is told to, and what it was asked. */
function rig() {
  const asked: string[] = [];
  let open = (): void => undefined;
  let fail: (error: Error) => void = () => undefined;
  const thread = {
    accept: () => {
      asked.push('accept');
      return Promise.resolve(outcome);
    },
    takeUp: () => Promise.resolve(undefined),
    findEmployee: () => Promise.resolve({ number: undefined, revision: null }),
    open: () => {
      asked.push('open');
      return new Promise<void>((resolve, reject) => {
        open = resolve;
        fail = reject;
      });
    },
  };
  return { asked, thread, open: () => open(), fail: (error: Error) => fail(error) };
}

t.test('a lane is ready once its thread has answered, until the thread ends', async (t) => {
  const { thread, asked, open } = rig();
  const lane = new AcceptQueue({ thread, waitMs: 60_000, atOnce: 1, damaged: () => [] });
  t.equal(lane.isReady, false);
  const opening = lane.open();
  t.equal(lane.isReady, false, 'a thread that was started is none that answers');
  open();
  await opening;
  t.equal(lane.isReady, true);
  t.same(await lane.accept(request), outcome);
  t.same(asked, ['open', 'accept']);
  lane.threadEnded();
  t.equal(lane.isReady, false);
});

t.test('a call that no thread takes in time has done nothing', async (t) => {
  const { thread, asked, open } = rig();
  const lane = new AcceptQueue({ thread, waitMs: 10, atOnce: 1, damaged: () => [] });
  const calls = [lane.accept(request), lane.accept(request)];
  for (const call of calls) await t.rejects(call, ImportsBusy);
  t.same(asked, ['open']);
  open();
  t.same(await lane.accept(request), outcome, 'the next one meets the thread that came up meanwhile');
  t.same(asked, ['open', 'accept']);
});

t.test('what keeps a thread from opening is said to the call', async (t) => {
  const { thread, fail } = rig();
  const lane = new AcceptQueue({ thread, waitMs: 60_000, atOnce: 1, damaged: () => [] });
  const call = lane.accept(request);
  fail(new EventLogUnavailable('away'));
  await t.rejects(call, { name: 'EventLogUnavailable', message: 'away' });
  t.equal(lane.isReady, false);
});
