import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import tap from 'tap';
import { ReadCall, type ReadStream } from './read-call.js';

const SILENCE_MS = 20;

/** As a call of gRPC: a failure comes with the end of what was said. */
class Stream extends Readable {
  override _read(): void {
    return;
  }

  cancel(): void {
    this.fail('cancelled');
  }

  fail(message: string): void {
    this.push(null);
    this.emit('error', new Error(message));
  }
}

/** A read whose first stream fails at once, and whose second one has one message. */
function redirected(isRedirect: () => Promise<boolean>): ReadCall {
  let opened = 0;
  const open = (): ReadStream => {
    const stream = new Stream({ objectMode: true });
    stream.on('error', () => undefined);
    opened += 1;
    if (opened === 1) setTimeout(() => stream.fail('not sent'), 1);
    else {
      stream.push('message');
      stream.push(null);
    }
    return stream as unknown as ReadStream;
  };
  return new ReadCall(() => Promise.resolve(open()), {
    silenceMs: SILENCE_MS,
    signal: new AbortController().signal,
    onSilence: () => undefined,
    isRedirect,
  });
}

tap.test(
  'a way to the leader that is longer than a silence does not end a read before it began',
  async (t) => {
    const slowly = async (): Promise<boolean> => {
      await wait(3 * SILENCE_MS);
      return true;
    };
    const messages: unknown[] = [];
    for await (const message of redirected(slowly).messages()) messages.push(message);
    t.same(messages, ['message']);
  },
);
