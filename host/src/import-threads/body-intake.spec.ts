import type { MessagePort } from 'node:worker_threads';
import { type ImportOutcome, ImportsBusy } from '@rollcall/application';
import t from 'tap';
import { ThreadBodyIntake } from './body-intake.js';
import { bareCall as call } from './calls.testing.js';
import type { IntakeReply, IntakeMessage } from './thread-tasks.js';

const outcome: ImportOutcome = { kind: 'queue-full' };

/** The thread's end, by hand. */
class Thread {
  readonly received: string[] = [];
  closed = false;
  #port: MessagePort | undefined;
  #resolve: (given: ImportOutcome) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  readonly #waiting = new Map<string, () => void>();

  start(port: MessagePort): Promise<ImportOutcome | undefined> {
    this.#port = port;
    port.on('message', (message: IntakeMessage) => {
      const bytes =
        message.kind === 'chunks' ? message.chunks.reduce((sum, { length }) => sum + length, 0) : '';
      this.received.push(`${message.kind}${bytes}`);
      this.#waiting.get(message.kind)?.();
    });
    port.on('close', () => {
      this.closed = true;
      this.#waiting.get('close')?.();
    });
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  receives(kind: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(kind, resolve));
  }

  reply(reply: IntakeReply): void {
    this.#port?.postMessage(reply);
  }

  end(given: ImportOutcome): void {
    this.#resolve(given);
  }

  die(error: Error): void {
    this.#reject(error);
  }
}

function rig({ waitMs = 60_000 } = {}) {
  const thread = new Thread();
  const turns: string[] = [];
  const intake = new ThreadBodyIntake({
    start: (port) => thread.start(port),
    inTurn: async (work) => {
      turns.push('begins');
      const given = await work();
      turns.push('ends');
      return given;
    },
    damaged: () => [],
    waitMs,
  });
  return { thread, intake, turns };
}

const chunk = (bytes = 512 * 1024): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

t.test('a body goes to its thread, and a turn is taken only to decide', async (t) => {
  const { thread, intake, turns } = rig();
  const first = chunk();
  t.equal(intake.write([first]), undefined, 'there is room');
  t.equal(first.buffer.byteLength, 0, 'its memory went with it');
  const ended = intake.end();
  await thread.receives('end');
  thread.reply({ kind: 'ended', sha256: 'abc' });
  t.equal(await ended, 'abc');
  t.same(turns, []);
  const accepted = intake.accept(call);
  await thread.receives('accept');
  t.same(turns, ['begins']);
  thread.end(outcome);
  t.same(await accepted, outcome);
  t.same(turns, ['begins', 'ends']);
  t.same(thread.received, [`chunks${512 * 1024}`, 'end', 'accept']);
});

t.test('who sends faster than the thread takes waits', async (t) => {
  const { thread, intake } = rig();
  t.equal(intake.write([chunk()]), undefined);
  const held = intake.write([chunk()]);
  t.ok(held, 'at a mebibyte');
  const state: string[] = [];
  void held?.then(() => state.push('goes on'));
  thread.reply({ kind: 'taken', bytes: 256 * 1024 });
  await thread.receives('chunks');
  t.same(state, []);
  thread.reply({ kind: 'taken', bytes: 256 * 1024 });
  await held;
  t.equal(intake.write([chunk(1)]), undefined);
  intake.abandon();
});

t.test('a thread that takes nothing in time leaves the call undone', async (t) => {
  const { intake } = rig({ waitMs: 10 });
  await t.rejects(intake.write([chunk(), chunk()]) ?? Promise.resolve(), ImportsBusy);
  intake.abandon();
});

t.test('a thread that dies ends whatever waits for it', async (t) => {
  const waits: ((intake: ThreadBodyIntake) => Promise<unknown>)[] = [
    (intake) => intake.write([chunk(), chunk()]) ?? Promise.resolve(),
    (intake) => intake.end(),
    (intake) => intake.accept(call),
  ];
  for (const wait of waits) {
    const { thread, intake } = rig();
    const waiting = wait(intake).then(() => undefined);
    thread.die(new Error('gone'));
    await t.rejects(waiting, { message: 'gone' });
    await t.rejects(
      intake.end().then(() => undefined),
      { message: 'gone' },
      'and all behind it',
    );
    intake.abandon();
  }
});

t.test('the thread is told where nobody wants the body any more', async (t) => {
  const { thread, intake } = rig();
  intake.write([chunk(10)]);
  intake.abandon();
  intake.abandon();
  await thread.receives('close');
  t.same(thread.received, ['chunks10']);
  t.ok(thread.closed);
});
