import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { companyHasWork, type RecordedEvent } from '@rollcall/application';
import { openAdapters, type Adapters } from '@rollcall/adapters';
import tap, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { startChild, type ChildProcess } from '../servers/child-process.js';
import { startChildParts } from '../servers/child-parts.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { Client } from '../support/client.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const preload = fileURLToPath(new URL('./poison-preload.js', import.meta.url));
const pathOf = (company: number): string => `/v1.0/Company/${company}/Employee`;

const listWith = (title: string, count = 5) =>
  generatedEmployees(count).map((employee) => ({ ...employee, JobTitle: title }));

interface Place {
  readonly clients: readonly Client[];
  readonly adapters: Adapters;
  readonly startWorker: () => Promise<ChildProcess>;
}

/** An api and a projector with two companies, and workers as the test starts them. */
async function startPlace(t: Test): Promise<Place> {
  const dataDir = join(t.testdir(), randomUUID());
  const tokens = await prepareDataDir(dataDir, [1, 2]);
  const parts = await startChildParts({ dataDir, workers: 0 });
  t.teardown(() => parts.kill());
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  const [api] = parts.apis;
  return {
    clients: tokens.map((token) => new Client(api?.url ?? '', token)),
    adapters,
    startWorker: async () => {
      const worker = await startChild('worker', { dataDir, preload, env: { METRICS_PORT: '0' } });
      t.teardown(() => worker.kill());
      return worker;
    },
  };
}

const operationOf = (location: string): string =>
  new URL(location, 'http://localhost').searchParams.get('ApiOperationId') ?? '';

async function told({ adapters }: Place, location: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of adapters.log.readStream(`operation-${operationOf(location)}`)) events.push(event);
  return events;
}

const typesOf = async (place: Place, location: string): Promise<string[]> =>
  (await told(place, location)).map(({ type }) => type);

tap.test('an import that kills its worker each time', { timeout: 600_000 }, async (t) => {
  const place = await startPlace(t);
  const [one, two] = place.clients;
  if (!one || !two) throw new Error('two companies have two clients');
  const poison = await one.queue(pathOf(1), listWith('poison'));
  const next = await one.queue(pathOf(1), listWith('Engineer'));
  const innocent = await two.queue(pathOf(2), listWith('Engineer', 500));
  for (let start = 1; start <= 10; start++) {
    const worker = await place.startWorker();
    // What a process had in hand when it was killed comes again after a while; here it does so at once.
    for (const company of [1, 2]) await place.adapters.queue.publish('imports', companyHasWork(company, 0));
    t.match(await worker.ended, { signal: 'SIGKILL' });
    t.same(await typesOf(place, poison), Array(start).fill('ImportStarted'), 'counted before the work');
  }
  const worker = await place.startWorker();
  await place.adapters.queue.publish('imports', companyHasWork(1, 0));
  t.match(await one.untilEnded(poison), {
    HttpStatusCode: 500,
    Result: /^gave up after 10 starts: .*Give the worker more memory/,
    Inserted: 0,
  });
  t.match(await one.untilEnded(next), { HttpStatusCode: 200, Inserted: 5 }, 'the company goes on');
  t.match(await two.untilEnded(innocent), { HttpStatusCode: 200, Inserted: 500 });
  t.equal(await worker.stop(), 0);
});

tap.test('a worker that is told to end while an import runs', { timeout: 600_000 }, async (t) => {
  const place = await startPlace(t);
  const [one] = place.clients;
  if (!one) throw new Error('a company has a client');
  const body = listWith('slow', 40).map((employee) => ({ ...employee, Extra: 'x'.repeat(250_000) }));
  const location = await one.queue(pathOf(1), body);
  const has = (type: string) => () =>
    typesOf(place, location).then((types) => (types.includes(type) ? true : undefined));
  const worker = await place.startWorker();
  await until('the import is started', has('ImportStarted'));
  worker.signal('SIGTERM');
  await until('it is recorded that the worker ends', has('ImportInterrupted'));
  await place.adapters.queue.publish('invitations', Buffer.from('of nobody'));
  await wait(1_500);
  t.match(
    await place.adapters.queue.depth('invitations'),
    { waiting: 1 },
    'it takes no invitations meanwhile',
  );
  await worker.kill();
  const events = await told(place, location);
  const [started] = events;
  const interrupted = events.find(({ type }) => type === 'ImportInterrupted');
  t.match(JSON.parse(Buffer.from(interrupted?.data ?? []).toString()), {
    startId: started?.id,
    cause: 'stop',
  });
});
