import { ConfigInvalid, keyPaths } from '@rollcall/adapters';
import {
  createLogger,
  degradation,
  type HealthProblem,
  liveAnswer,
  Metrics,
  openMetricsServer,
  outage,
  partProblems,
  type ReadinessParts,
  readyAnswer,
} from '@rollcall/host';
import {
  EventLogUnavailable,
  QueueRefused,
  QueueUnavailable,
  ReadModelsUnavailable,
} from '@rollcall/application';
import { defaultTimeouts, readServerConfig, startApi } from '@rollcall/api';

import { readWorkerConfig, startWebhooks } from '@rollcall/worker';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import tap, { type Test } from 'tap';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { openTestStore } from '../support/test-store.js';
import { exactly } from '../support/exactly.js';
import { until } from '../support/until.js';

const depth = { waiting: 0, unsettled: 0 };
const whole = {
  log: {
    lastPosition: () => Promise.resolve(1n),
    readLast: () => Promise.resolve(undefined),
    async *readStream() {},
    async *subscribeToAll() {},
  },
  readModels: {
    parkedStreams: () => Promise.resolve([]),
    generations: () =>
      Promise.resolve([
        { name: 'g1', status: 'live' as const, version: null, at: 0, progress: { position: 1n } },
      ]),
    progress: () => Promise.resolve({ position: 1n }),
  },
  queue: { depth: () => Promise.resolve(depth) },
  clock: { now: () => 0 },
} satisfies ReadinessParts;

const namesOf = async (parts: ReadinessParts): Promise<string[]> =>
  (await partProblems(parts)).map(({ problem }) => problem);

tap.test('each part that is missing is named', async (t) => {
  t.same(await namesOf(whole), []);
  const without = { log: whole.log, readModels: whole.readModels, clock: whole.clock };
  t.same(await namesOf(without), [], 'a process may do without a queue');
  const away = {
    log: { ...whole.log, lastPosition: () => Promise.reject(new EventLogUnavailable('away')) },
    readModels: {
      ...whole.readModels,
      parkedStreams: () => Promise.reject(new ReadModelsUnavailable('away')),
    },
    queue: { depth: () => Promise.reject(new QueueUnavailable('away')) },
  };
  t.same(await namesOf({ ...whole, log: away.log }), ['the event log cannot be read']);
  t.same(await namesOf({ ...whole, readModels: away.readModels }), ['the read models cannot be read']);
  t.same(await namesOf({ ...whole, queue: away.queue }), ['the queue cannot be reached']);
  const refused = { depth: () => Promise.reject(new QueueRefused('the user is refused')) };
  t.same(await namesOf({ ...whole, queue: refused }), ['the queue cannot be reached: the user is refused']);
  t.equal((await namesOf({ ...whole, ...away })).length, 3);
  const behind = { ...whole.readModels, progress: () => Promise.resolve({ position: 0n }) };
  t.match(
    await namesOf({ ...whole, readModels: behind }),
    exactly([/^the read models are behind or not: /]),
    'unknown',
  );
  const broken = { stream: 'company-7', revision: 3, problem: 'its shape' };
  t.same(
    await namesOf({
      ...whole,
      readModels: { ...whole.readModels, parkedStreams: () => Promise.resolve([broken]) },
    }),
    ['projections have stopped: company-7 at revision 3'],
  );
  const many = Array.from({ length: 20_000 }, (_, id) => ({ ...broken, stream: `company-${id}` }));
  const parkedStreams = () => Promise.resolve(many);
  t.match(
    await namesOf({ ...whole, readModels: { ...whole.readModels, parkedStreams } }),
    exactly([/^projections have stopped: company-0 at .* company-9 at revision 3 and 19990 more$/]),
    'the first are named',
  );
});

tap.test('messages to webhooks are counted from 0 on', async (t) => {
  const { adapters, digestKey, config } = await openTestStore(t);
  const metrics = new Metrics({ defaults: false });
  const worker = { ...readWorkerConfig({ MAILER: 'file' }), adapters: config };
  const logger = createLogger('silent');
  const webhooks = startWebhooks({ adapters, digestKey, config: worker, logger, metrics });
  t.teardown(() => webhooks.close());
  t.match(await metrics.scrape(), /^rollcall_webhook_messages_total\{outcome="disabled"\} 0$/m);
});

tap.test('read models that are ahead of the log', async (t) => {
  const ahead = { ...whole.readModels, progress: () => Promise.resolve({ position: 2n, parts: 0 }) };
  t.match(await namesOf({ ...whole, readModels: ahead }), exactly([/rollcall projections rebuild/]));
});

tap.test('one that does not answer is missing', async (t) => {
  const begun = performance.now();
  const silent = { ...whole.log, lastPosition: () => new Promise<never>(() => undefined) };
  t.same(await namesOf({ ...whole, log: silent }), ['the event log cannot be read']);
  t.ok(performance.now() - begun < 4_000);
});

async function metricsServer(
  t: Test,
  problems: readonly HealthProblem[],
  scrape = () => Promise.resolve('up 1\n'),
) {
  const parts = {
    metrics: { contentType: 'text/plain; version=0.0.4', scrape },
    problems: () => Promise.resolve(problems),
  };
  const server = await openMetricsServer({ host: '127.0.0.1', port: 0 }, parts);
  t.teardown(() => server.close());
  return server;
}

tap.test('the metrics server', async (t) => {
  const { address } = await metricsServer(t, []);
  const metrics = await fetch(`${address}/metrics`);
  t.match(metrics.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  t.equal(await metrics.text(), 'up 1\n');
  t.same(await (await fetch(`${address}/health/live`)).json(), liveAnswer);
  for (const path of ['/health/ready', '/health/ready?verbose'])
    t.same(await (await fetch(address + path)).json(), readyAnswer([]).body, path);
  t.equal((await fetch(`${address}/v1.0/Survey`)).status, 404);
  const posted = await fetch(`${address}/metrics`, { method: 'POST' });
  t.same([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  const body = { method: 'PUT', body: '{', headers: { 'content-type': 'application/json' } };
  t.equal((await fetch(`${address}/health/live`, body)).status, 405, 'whatever is sent with it');
  const elsewhere = await fetch(`${address}/`, body);
  t.same([elsewhere.status, elsewhere.headers.get('cache-control')], [404, 'no-store']);
  t.same(await elsewhere.json(), { Message: 'There is nothing at this address' });
  const head = await fetch(`${address}/metrics`, { method: 'HEAD' });
  t.same([head.status, await head.text()], [200, '']);

  const port = Number(new URL(address).port);
  const unparsed = [
    [
      'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      404,
      /^{"Message":"There is nothing at this address"}$/,
    ],
    ['PROPFIND /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405, /^{"Message":/],
    ['nonsense\r\n\r\n', 400, /^$/],
    [`GET /metrics HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, /^$/],
  ] as const;
  for (const [request, status, body] of unparsed) {
    const answer = await sendRaw(port, [request]);
    t.equal(statusOf(answer), status, request.slice(0, 20));
    t.match(bodyOf(answer), body, request.slice(0, 20));
    for (const header of body.test('')
      ? []
      : [/^cache-control: no-store\r$/m, /^x-content-type-options: nosniff\r$/m])
      t.match(answer, header);
  }
  t.equal(metrics.headers.get('x-content-type-options'), 'nosniff');

  const parts = { metrics: { contentType: '', scrape: async () => '' }, problems: async () => [] };
  await t.rejects(openMetricsServer({ host: '127.0.0.1', port }, parts), ConfigInvalid);
});

tap.test('a process that is not ready, and a scrape that fails', async (t) => {
  const problems = [degradation('projections have stopped'), outage('the event log cannot be read')];
  const fails = (): Promise<string> => Promise.reject(new TypeError('Ann Example'));
  const { address } = await metricsServer(t, problems, fails);
  const ready = await fetch(`${address}/health/ready`);
  t.same([ready.status, ready.headers.get('retry-after')], [503, '5']);
  t.same(await ready.json(), {
    Status: 'unavailable',
    Problems: ['projections have stopped', 'the event log cannot be read'],
    Version: liveAnswer.Version,
    Commit: liveAnswer.Commit,
  });
  t.equal((await fetch(`${address}/health/live`)).status, 200);
  const failed = await fetch(`${address}/metrics`);
  t.equal(failed.status, 500);
  t.notMatch(await failed.text(), /Ann/);
});

async function apiAwayFromLog(t: Test): Promise<Awaited<ReturnType<typeof startApi>>> {
  const store = await openTestStore(t);
  const away = { ...store.adapters.log, lastPosition: () => Promise.reject(new EventLogUnavailable('away')) };
  const { dataDir } = store.config;
  await store.tokens.writePublicKey(keyPaths(dataDir).publicFolder);
  const config = readServerConfig({ DATA_DIR: dataDir, PORT: '0' });
  const unused = (): Promise<never> => Promise.reject(new Error('nobody imports'));
  const takeUp = (): never => {
    throw new Error('nobody imports');
  };
  const api = await startApi({
    config: { ...config, api: { ...config.api, timeouts: { ...defaultTimeouts, linger: 10 } } },
    adapters: { ...store.adapters, log: away },
    keys: store,
    imports: {
      isReady: () => true,
      accept: unused,
      takeUp,
      refuse: unused,
      findEmployee: unused,
      close: () => Promise.resolve(),
    },
    logger: createLogger('silent'),
    metrics: new Metrics({ defaults: false }),
  });
  t.teardown(() => api.close());
  return api;
}

tap.test('an api that is asked for its problems goes on, also where it has some', async (t) => {
  const api = await apiAwayFromLog(t);
  t.match(await api.problems(), exactly([outage('the event log cannot be read')]));
  await wait(100);
  t.equal((await fetch(`${api.address}/health/live`)).status, 200);
});

tap.test('a process whose only problem is a parked stream serves, and says so', async (t) => {
  const { address } = await metricsServer(t, [
    degradation('projections have stopped: company-7 at revision 3'),
  ]);
  const ready = await fetch(`${address}/health/ready`);
  t.same([ready.status, ready.headers.get('retry-after')], [200, null]);
  t.match(await ready.json(), { Status: 'degraded', Problems: exactly([/company-7/]) });
});

/** A call whose first line the server has read: it came in one packet with a call before, whose answer is here. */
async function beginCall(port: number, name: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(`GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /health/${name} HTTP/1.1\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString().endsWith('}')) throw new Error('the answer came in several packets');
  return socket.pause();
}

tap.test('an api that stops is live, not ready, and says why, until its last call has ended', async (t) => {
  const api = await apiAwayFromLog(t);
  const port = Number(new URL(api.address).port);
  const begun = await Promise.all(['live', 'ready', 'other'].map((name) => beginCall(port, name)));
  const closed = api.close();
  const isStopping = async (): Promise<boolean> =>
    (await api.problems())[0]?.problem === 'the process is stopping';
  await until('it stops', isStopping);
  t.strictSame(await api.problems(), [outage('the process is stopping')]);
  const answers = begun.map((socket) => {
    socket.write('Host: a\r\n\r\n');
    return text(socket);
  });
  const [live, ready, other] = await Promise.all(answers);
  t.match(live, /^HTTP\/1\.1 200 [^]*connection: close[^]*"Status":"ok"/i);
  t.match(ready, /^HTTP\/1\.1 503 [^]*"Status":"unavailable","Problems":\["the process is stopping"\]/);
  t.match(other, /^HTTP\/1\.1 503 [^]*"Message"/, 'everything else is refused');
  await closed;
});
