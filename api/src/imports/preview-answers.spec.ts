import type { FastifyReply } from 'fastify';
import t from 'tap';
import { sendTexts } from './preview-answers.js';

async function* texts(count: number): AsyncGenerator<string> {
  for (let at = 0; at < count; at += 1) yield await Promise.resolve('x'.repeat(16 * 1024));
}

t.test('a long answer lets other work go between its parts', async (t) => {
  const reply = { send: (stream: unknown) => stream } as unknown as FastifyReply;
  let [turns, length, isOver] = [0, 0, false];
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  for await (const part of sendTexts(reply, texts(200)) as unknown as AsyncIterable<Buffer>)
    length += part.length;
  isOver = true;
  t.equal(length, 200 * 16 * 1024);
  t.ok(turns >= 50, `${turns} turns for 50 parts`);
});
