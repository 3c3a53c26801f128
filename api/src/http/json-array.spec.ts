import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { startedArray, startedStream, type JsonTexts } from './json-array.js';

const batchCount = 60;
const rowsOfBatch = 400;
const rowAt = (number: number): string => JSON.stringify({ number, text: 'x'.repeat(number % 1_000) });

/** All in the same memory, as long as the next batch is not asked for. */
async function* batches(): AsyncGenerator<JsonTexts> {
  const memory = Buffer.alloc(2 * 1024);
  for (let batch = 0; batch < batchCount; batch += 1) {
    await setImmediate();
    const jsonAt = (at: number): Uint8Array =>
      memory.subarray(0, memory.write(rowAt(batch * rowsOfBatch + at)));
    yield { length: rowsOfBatch, jsonAt, endAt: () => Buffer.from(',"end":null}') };
  }
}

const expected = (): unknown[] =>
  Array.from({ length: batchCount * rowsOfBatch }, (_, number): unknown => ({
    ...(JSON.parse(rowAt(number)) as object),
    end: null,
  }));

/** Looks at what it was given when it has it no more, as an operating system does that is slow to take it. */
class SlowAnswer extends Writable {
  readonly memories = new Set<ArrayBufferLike>();
  readonly #wait: (chunk: number) => Promise<unknown>;
  #chunks = 0;
  text = '';

  constructor(wait: (chunk: number) => Promise<unknown>) {
    super({ highWaterMark: 64 * 1024 });
    this.#wait = wait;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.memories.add(chunk.buffer);
    void this.#wait((this.#chunks += 1)).then(() => {
      this.text += chunk.toString('latin1');
      done();
    });
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
};

for (const [name, wait] of [
  ['at once', () => Promise.resolve()],
  ['slowly', () => turns(5)],
  ['in fits and starts', (chunk: number) => turns(chunk % 7 === 0 ? 40 : 0)],
] as const)
  t.test(`an answer that is taken ${name} is whole, though its memory is used again`, async (t) => {
    const answer = new SlowAnswer(wait);
    await pipeline(await startedArray(batches(), answer), answer);
    t.strictSame(JSON.parse(answer.text), expected());
    t.ok(
      answer.memories.size <= 12,
      `${answer.memories.size} chunks' memory for ${answer.text.length} bytes`,
    );
  });

t.test('a stream that is destroyed before it is read ends what it was made of', async (t) => {
  const ended = new Promise<void>((resolve) => {
    const texts = async function* (): AsyncGenerator<string> {
      try {
        yield 'one';
        yield 'two';
      } finally {
        resolve();
      }
    };
    void startedStream(texts()).then((stream) => stream.destroy());
  });
  await t.resolves(ended);
});
