import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AdaptersConfig } from '@rollcall/adapters';
import tap, { type Test } from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { startChildParts } from '../servers/child-parts.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { standstill } from './standstill.js';
import { GrowingSurveys } from './growing-surveys.js';
import { settled } from './settled.js';
import { MovingCompany, SteadyLoad } from './steady-load.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const changes = Math.max(8, Math.ceil(200 * scale));
/**
 * No caller may wait longer for the next answer that is a success. Whatever is lost on the way comes again after 35 s; what
 * stands still does so for ever.
 */
const longestMs = 120_000;

/** The same numbers again with the same seed. */
function randomFrom(begin: number): (below: number) => number {
  let state = begin;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

type Change = (cluster: EventStoreDbServer, leader: number, next: number) => Promise<number>;

/** Each gives the node that leads afterwards; the cluster chooses the one behind the leader by itself. */
const change = {
  /** It steps back. */
  resign: async (cluster, _leader, next) => {
    await cluster.order('lead', next, electionMs(next));
    return next;
  },
  kill: async (cluster, leader) => {
    await cluster.order('kill', leader, electionMs(leader));
    await wait(300);
    await cluster.order('start', leader);
    return (leader + 1) % 3;
  },
  /** Its peers hear nothing more of it, its callers do; it joins them again when all has gone on without it. */
  cut: async (cluster, leader) => {
    await cluster.order('cut', leader, electionMs(leader));
    return (leader + 1) % 3;
  },
} satisfies Record<string, Change>;

const electionMs = (node: number): number => 200 * node;

/** The service's processes on a cluster, everything else embedded. */
async function serviceOnCluster(t: Test, companyIds: readonly number[]) {
  const cluster = await EventStoreDbServer.start({
    args: ['--nodes', '3', '--commit-timeout-ms', '500'],
  });
  t.teardown(() => cluster.stop());
  const adapters: AdaptersConfig = {
    ...embeddedAdapters(join(t.testdir(), 'data')),
    eventLog: { kind: 'eventstoredb', connectionString: cluster.url },
    streamPrefix: `${randomUUID()}-`,
  };
  const tokens = await prepareInstallation(adapters, companyIds);
  const env = { ...adapterEnvironment(adapters), LOG_LEVEL: 'warn' };
  const parts = await startChildParts({ dataDir: adapters.dataDir, env });
  t.teardown(() => parts.kill());
  return { cluster, adapters, tokens, parts, url: parts.apis[0]?.url ?? '' };
}

type Caller = MovingCompany | GrowingSurveys;

/** How long it takes until each caller got on twice: of queued imports some have ended by then. */
async function goesOn(callers: readonly Caller[], report: () => Promise<string>): Promise<number> {
  const before = callers.map(({ count }) => count);
  const begun = performance.now();
  while (callers.some(({ count }, n) => count < (before[n] ?? 0) + 2)) {
    if (performance.now() - begun > longestMs)
      throw new Error(
        `it does not go on: ${before.join()} calls became ${counts(callers)}; ${await report()}`,
      );
    await wait(20);
  }
  return performance.now() - begun;
}

const counts = (callers: readonly Caller[]): string => callers.map(({ count }) => count).join();

async function untilReady(urls: readonly string[], told: () => Promise<string>): Promise<void> {
  const isReady = async (url: string): Promise<boolean> =>
    (await fetch(`${url}/health/ready`)).status === 200;
  try {
    for (const url of urls) await until(`${url} is ready`, () => isReady(url), { everyMs: 100 });
  } catch (error) {
    throw new Error(`not ready; ${await told()}`, { cause: error });
  }
}

const kindOf = (n: number, random: number): keyof typeof change =>
  n % 4 === 3 ? 'cut' : random === 0 ? 'resign' : 'kill';

tap.setTimeout(7_200_000);

tap.test('leaders that change under load', { timeout: 7_200_000 }, async (t) => {
  const { cluster, adapters, tokens, parts, url } = await serviceOnCluster(t, [1, 2, 3]);
  const [first = '', second = '', third = ''] = tokens;
  const load = new SteadyLoad(url);
  const atOnce = new MovingCompany(load, { companyId: 1, token: first, queued: false });
  const queued = new MovingCompany(load, { companyId: 2, token: second, queued: true });
  const surveys = new GrowingSurveys(load, { companyId: 3, token: third });
  const callers = [atOnce, queued, surveys];
  load.start(atOnce.once, atOnce.look, queued.once, surveys.once);
  t.teardown(() => load.stop());

  const others = [...parts.projectors, ...parts.workers];
  const urls = [url, ...others.map(({ metricsUrl }) => metricsUrl ?? '')];
  const told = () => standstill({ adapters, urls, waiting: load.waiting, outputs: others });
  const random = randomFrom(seed);
  const longest = { resign: 0, kill: 0, cut: 0 };
  let leader = 0;
  for (let n = 0; n < changes; n++) {
    const kind = kindOf(n, random(2));
    const what = `change ${n}, ${kind}, of seed ${seed}`;
    const before = leader;
    const report = async (): Promise<string> => `${what}; ${load.problems.join('; ')}\n${await told()}`;
    const going = goesOn(callers, report);
    leader = await change[kind](cluster, leader, (leader + 1 + random(2)) % 3);
    longest[kind] = Math.max(longest[kind], await going, await goesOn(callers, report));
    if (kind === 'cut') await cluster.order('join', before);
    t.same(load.problems.splice(0), [], what);
  }
  await load.stop();
  const ms = Object.entries(longest).map(([kind, each]) => `${kind} ${Math.round(each)}`);
  t.comment(`${changes} changes, longest time without progress in ms: ${ms.join(', ')}`);
  t.comment(`${callers.map(({ count }) => count).join(', ')} calls carried out, ${load.refused} times 503`);

  for (const caller of callers) {
    const { there, wanted } = await settled(caller);
    t.same(there, wanted, 'everything that was answered is there, once');
  }
  t.same(load.problems, []);
  await untilReady(urls, told);
  const rollcall = rollcallWithin(adapters.dataDir, adapterEnvironment(adapters));
  t.match(await rollcall('audit verify'), { code: 0, err: '' }, 'read models equal to the log');
  t.same(await parts.stop(), [0, 0, 0]);
});
