import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openWebhookSender, parseNetworks } from '@rollcall/adapters';
import tap, { type Test } from 'tap';
import { company } from '../application/imports.support.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { addWebhook, importMany, importOne, startWebhooks } from '../worker/webhooks.support.js';
import { dice } from './caller.js';

/** Of each receiver; four of them answer. */
const count = Math.round(2_500 * scale);
const roll = dice(seed);

type Answer = (operation: unknown) => number | 'hang';

/** A receiver of its own port, and the operations that it has accepted. */
async function receiver(t: Test, answer: Answer): Promise<{ url: string; accepted: unknown[] }> {
  const accepted: unknown[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { operationId } = (JSON.parse(body) as { data: { operationId: unknown } }).data;
      const status = answer(operationId);
      if (status === 'hang') return;
      if (status === 200) accepted.push(operationId);
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, accepted };
}

tap.test(
  `${count * 4} messages, receivers that fail and hang, workers that stop`,
  { timeout: 600_000 },
  async (t) => {
    t.comment(`TEST_SEED=${seed}`);
    const on = await company(t);
    const sometimes = (share: number) => (): number => (roll(1_000) < share * 1_000 ? 500 : 200);
    const good = await Promise.all([0, 0, 0.01, 0.05].map((share) => receiver(t, sometimes(share))));
    const hanging = await receiver(t, () => 'hang');
    const failing = await receiver(t, () => 503);
    for (const { url } of [hanging, failing, ...good]) await addWebhook(on, url);
    const networks = parseNetworks('127.0.0.0/8');
    if (!networks) throw new Error('no networks');
    const sender = openWebhookSender({ allowed: networks, timeoutMs: 500 });
    const start = () => startWebhooks(on, on.log, (message) => sender.send(message));
    let workers = [start(), start()];

    const engine = on.engine();
    const operations: string[] = [await importOne(on, 1, engine)];
    while (operations.length < count) operations.push(...(await importMany(engine, 32)));
    const begun = performance.now();
    await until(
      'all are told',
      async () => {
        on.clock.at += 10_000;
        if (roll(20) === 0) {
          await workers.shift()?.stop();
          workers = [...workers, start()];
        }
        return good.every(({ accepted }) => new Set(accepted).size === operations.length);
      },
      { withinMs: 500_000, everyMs: 50 },
    );
    for (const worker of workers) await worker.stop();
    for (const { accepted } of good) {
      const first = accepted.filter((id, index) => accepted.indexOf(id) === index);
      t.same(first, operations, 'none is lost, and the order is kept');
    }
    t.same([...hanging.accepted, ...failing.accepted], []);
    const sent = good.reduce((sum, { accepted }) => sum + accepted.length, 0);
    t.comment(
      `${sent} accepted for ${operations.length * 4}, in ${Math.round(performance.now() - begun)} ms`,
    );
  },
);
