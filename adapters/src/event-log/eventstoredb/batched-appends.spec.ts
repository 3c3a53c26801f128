import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { BatchedAppends, type BatchedAppendsOptions } from './batched-appends.js';
import type { BatchCall } from './streams-service.js';

/** A call that answers each append with revision 0, where it answers. */
class Call extends EventEmitter {
  written = 0;
  ended = false;
  cancelled = false;
  isCurrent = true;
  readonly #answers: boolean;

  constructor(answers: boolean) {
    super();
    this.#answers = answers;
  }

  write(request: Uint8Array): void {
    this.written += 1;
    if (!this.#answers) return;
    const position = new streams.BatchAppendResp.Success();
    position.setCurrentRevision('0');
    const answer = new streams.BatchAppendResp();
    answer.setCorrelationId(streams.BatchAppendReq.deserializeBinary(request).getCorrelationId());
    answer.setSuccess(position);
    setImmediate(() => this.emit('data', answer));
  }

  end(): void {
    this.ended = true;
  }

  cancel(): void {
    this.cancelled = true;
    this.emit('close');
  }
}

function appends(options: Partial<BatchedAppendsOptions> = {}, answers = true) {
  const calls: Call[] = [];
  const seen = { silent: 0 };
  const batched = new BatchedAppends({
    open: async () => {
      const call = new Call(answers);
      calls.push(call);
      return {
        call: call as unknown as BatchCall,
        isCurrent: () => call.isCurrent,
        onSilence: () => void (seen.silent += 1),
      };
    },
    keyOf: () => '',
    lingerMs: 60_000,
    cancelAfterMs: 1,
    ...options,
  });
  const append = (timeoutMs = 60_000) =>
    batched.append(
      { stream: 'survey-1', name: 'survey-1', expected: 'no-stream', events: [] },
      () => timeoutMs,
    );
  return { calls, seen, append };
}

const ending = async (call: Call | undefined): Promise<void> => {
  while (call?.cancelled !== true) await wait(1);
};

tap.test('one call carries them, until it is older than it may get', async (t) => {
  const { calls, append } = appends();
  for (let n = 0; n < 3; n++) await append();
  t.match(calls, exactly([{ written: 3, ended: false }]));
  const aging = appends({ renewAfterMs: 5 });
  await aging.append();
  await wait(10);
  await aging.append();
  t.match(aging.calls, exactly([{ written: 1, ended: true }, { written: 1 }]));
});

tap.test('one that is idle ends, and is cancelled where the server leaves it open', async (t) => {
  const { calls, append } = appends({ lingerMs: 1 });
  await append();
  await ending(calls[0]);
  t.match(calls, exactly([{ ended: true }]));
});

tap.test('where the connection has moved the next append takes another call', async (t) => {
  const { calls, append } = appends();
  await append();
  const [first] = calls;
  if (first !== undefined) first.isCurrent = false;
  await append();
  t.match(calls, exactly([{ written: 1 }, { written: 1 }]));
  await ending(first);
});

tap.test('a call that fails is tried once more, and then its outcome is unknown', async (t) => {
  const { calls, append } = appends({}, false);
  const outcome = append();
  for (let n = 0; n < 2; n++) {
    while (calls[n]?.written !== 1) await wait(1);
    calls[n]?.emit('error', new Error('broken'));
  }
  t.equal(await outcome, undefined);
  t.equal(calls.length, 2);
});

tap.test('a server that is silent keeps no call, and who else waits there learns of it', async (t) => {
  const { calls, seen, append } = appends({}, false);
  const other = append();
  await t.rejects(append(5), { name: 'EventLogUnavailable', message: /did not answer within 5 ms/ });
  t.strictSame([calls[0]?.cancelled, seen.silent], [true, 1]);
  while (calls[1]?.written !== 1) await wait(1);
  calls[1].emit('end');
  t.equal(await other, undefined);
});
