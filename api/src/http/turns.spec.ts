import { Agent, get } from 'node:http';
import fastify from 'fastify';
import t from 'tap';
import type { ApiApp } from './fastify-types.js';
import { beginInTurns } from './turns.js';

const [callers, newcomers] = [16, 12];

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

t.test('Given callers who stay connected, then new ones are served among them', async (t) => {
  const app = fastify() as unknown as ApiApp;
  beginInTurns(app);
  app.get('/page', () => {
    spin(4);
    return 'a page';
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const kept = new Agent({ keepAlive: true });
  t.teardown(() => {
    kept.destroy();
    return app.close();
  });
  const read = (agent: Agent | false): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get(`${address}/page`, { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      }).on('error', reject);
    });
  let [answered, isOver] = [0, false];
  const reading = Array.from({ length: callers }, async () => {
    for (; !isOver; answered += 1) await read(kept);
  });
  while (answered < callers * 2) await new Promise(setImmediate);
  const before = answered;
  const statuses = await Promise.all(Array.from({ length: newcomers }, () => read(false)));
  isOver = true;
  const meanwhile = answered - before;
  await Promise.all(reading);
  t.strictSame(new Set(statuses), new Set([200]));
  t.ok(meanwhile < callers * 5, `${meanwhile} answers to the others meanwhile`);
});
