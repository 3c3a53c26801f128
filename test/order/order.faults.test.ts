import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStores, type Stores } from '@rollcall/adapters';
import t, { type Test } from 'tap';
import { dice, type Roll } from '../faults/caller.js';
import { entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { Child, torment, Torments } from './child.js';
import { CompanyLoad } from './company-load.js';
import { companyLog, orderProblems } from './company-log.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const companies = Math.max(5, Math.round(20 * Math.min(1, scale * 3)));
const imports = Math.max(60, Math.round(500 * scale));
const workers = 3;
/** Shorter than what production has, so that a pause is longer than any of them. */
const ackDeadlineMs = 1_000;
const pauseMs = 2_500;
const longestMs = 600_000;

const worker = fileURLToPath(new URL('./chaotic-worker.js', import.meta.url));

interface Stack {
  readonly dataDir: string;
  readonly stores: Stores;
  readonly url: string;
  readonly loads: readonly CompanyLoad[];
  readonly projector: Child;
  readonly workers: readonly Child[];
}

async function startStack(t: Test, roll: Roll): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-order-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const ids = Array.from({ length: companies }, (_, index) => index + 1);
  const tokens = await prepareDataDir(dataDir, ids);
  const common = { DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const projector = new Child(entryOf('projector'), () => common);
  t.teardown(() => projector.kill());
  await projector.start();
  const api = await startChildServer({ dataDir, entry: entryOf('api') });
  t.teardown(() => api.kill());
  const workerEnv = () => ({
    ...common,
    ACK_DEADLINE_MS: String(ackDeadlineMs),
    TEST_SEED: String(roll(2 ** 31)),
  });
  const children = Array.from({ length: workers }, () => new Child(worker, workerEnv));
  for (const child of children) t.teardown(() => child.kill());
  const stores = await openStores(embeddedAdapters(dataDir));
  t.teardown(() => stores.close());
  const loads = ids.map((id, index) => new CompanyLoad(id, tokens[index] ?? '', roll));
  return { dataDir, stores, url: api.url, loads, projector, workers: children };
}

/** Each company's caller sends its share, one import after the other; companies side by side, a few at once. */
async function sendAll(stack: Stack): Promise<void> {
  const waiting = stack.loads.flatMap((load) => [load]);
  const share = Math.ceil(imports / stack.loads.length);
  const callers = Array.from({ length: 6 }, async () => {
    for (let load = waiting.shift(); load; load = waiting.shift())
      for (let count = 0; count < share; count++) await load.send(stack.url);
  });
  await Promise.all(callers);
}

/** Waits until no import is pending and everything is projected. */
async function untilDone({ stores, loads }: Stack): Promise<void> {
  const left = [...loads];
  const isDone = async (): Promise<boolean> => {
    for (let load = left[0]; load; load = left[0]) {
      const logged = await companyLog(stores.log, load.companyId);
      if (logged.filter(({ what }) => what !== 'queued').length < load.accepted) return false;
      left.shift();
    }
    return true;
  };
  const what = (): string => `company ${left[0]?.companyId} comes to an end`;
  await until(what, isDone, { withinMs: longestMs, everyMs: 50 });
  const position = await stores.log.lastPosition();
  if (position !== undefined && !(await stores.readModels.reachedPosition(position, 60_000)))
    throw new Error('the read models do not follow');
}

async function compare(t: Test, stack: Stack): Promise<void> {
  for (const load of stack.loads) {
    const logged = await companyLog(stack.stores.log, load.companyId);
    t.strictSame(orderProblems(logged), [], `the order of company ${load.companyId}`);
    t.strictSame(await load.problems(stack.url, logged), [], `the model of company ${load.companyId}`);
  }
}

t.setTimeout(3_600_000);

t.test(`${imports} imports of ${companies} companies, ${workers} workers`, async (t) => {
  t.comment(`TEST_SEED=${seed}`);
  const roll = dice(seed);
  const stack = await startStack(t, roll);
  for (const child of stack.workers) await child.start();
  const stop = new AbortController();
  const told = new Torments();
  const over = torment([...stack.workers, stack.projector], roll, { pauseMs, signal: stop.signal, told });
  // However fast it is: it goes on until enough has happened to it.
  do await sendAll(stack);
  while (told.kills < 4 || told.pauses < 2);
  await untilDone(stack);
  stop.abort();
  await over;
  t.comment(`${told.kills} kills, ${told.pauses} pauses`);
  await untilDone(stack);
  await compare(t, stack);
});

t.test('the queue is wiped while 50 imports are pending', async (t) => {
  const roll = dice(seed + 1);
  const stack = await startStack(t, roll);
  for (let count = 0; count < 50; count++) await stack.loads[count % companies]?.send(stack.url, true);
  await stack.projector.kill();
  await rm(join(stack.dataDir, 'queue'), { recursive: true });
  await stack.projector.start();
  for (const child of stack.workers) await child.start();
  await untilDone(stack);
  await compare(t, stack);
});
