import { setTimeout as wait } from 'node:timers/promises';
import { newId, revokeToken, systemClock } from '@rollcall/application';
import { openAdapters } from '@rollcall/adapters';

import tap, { type Test } from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';
import { skipWithoutServers } from '../servers/three-servers.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { missing, serviceOnServers, type ServiceOnServers, type Store } from './service-on-servers.js';
import { GrowingSurveys } from './growing-surveys.js';
import { settled } from './settled.js';
import { MovingCompany, SteadyLoad } from './steady-load.js';
import { scale } from '../support/scale.js';

const outageMs = scale < 1 ? 3_000 : 10_000;
const delayMs = 400;
/** So many further calls of each kind show that everything goes on. */
const goOn = 3;
/** A token may be accepted for so long after its revocation. */
const revokedWithinMs = 5_000;

const all: readonly Store[] = ['eventLog', 'readModels', 'queue'];
const pairs: readonly (readonly Store[])[] = [
  ['eventLog', 'readModels'],
  ['eventLog', 'queue'],
  ['readModels', 'queue'],
];

interface Fault {
  readonly name: string;
  readonly stores: readonly Store[];
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  /** Whether the stores are away meanwhile, and not only slow. */
  readonly isAway: boolean;
}

function faultsOf({ stores }: ServiceOnServers): Fault[] {
  const each = (which: readonly Store[], work: (store: Store) => unknown) => async () => {
    await Promise.all(which.map(work));
  };
  const byProxy = (mode: 'refuse' | 'swallow' | 'hold', which: readonly Store[]): Fault => ({
    name: mode,
    stores: which,
    begin: each(which, (store) => stores[store].proxy.setMode(mode)),
    end: each(which, (store) => stores[store].proxy.setMode('pass')),
    isAway: true,
  });
  const slow = (which: readonly Store[]): Fault => ({
    name: 'slow, then reset',
    stores: which,
    begin: each(which, (store) => stores[store].proxy.setDelay(delayMs)),
    end: each(which, (store) => {
      stores[store].proxy.reset();
      stores[store].proxy.setDelay(0);
    }),
    isAway: false,
  });
  const killed = (which: readonly Store[]): Fault => ({
    name: 'kill -9',
    stores: which,
    begin: each(which, (store) => stores[store].kill()),
    end: each(which, (store) => stores[store].startAgain()),
    isAway: true,
  });
  const single = all.map((store) => [store]);
  const both = [...single, ...pairs];
  if (scale >= 1)
    return [
      ...both.flatMap((which) => [byProxy('refuse', which), byProxy('swallow', which), killed(which)]),
      ...single.flatMap((which) => [byProxy('hold', which), slow(which)]),
    ];
  return [
    byProxy('swallow', ['eventLog']),
    byProxy('swallow', ['readModels']),
    byProxy('refuse', ['queue']),
    slow(all),
    killed(['eventLog', 'readModels']),
    byProxy('hold', ['eventLog', 'queue']),
    byProxy('refuse', ['readModels', 'queue']),
  ];
}

tap.setTimeout(1_800_000);

/** Everything that the processes say at `/health/ready` until so much time has passed. */
async function saidFor(service: ServiceOnServers, ms: number): Promise<Set<string>> {
  const said = new Set<string>();
  for (const end = performance.now() + ms; performance.now() < end;) {
    for (const problem of await service.problems()) said.add(problem);
    await wait(50);
  }
  return said;
}

/** Cuts the log off from the service and revokes a token meanwhile, past the proxy. */
async function revocation(t: Test, service: ServiceOnServers, load: SteadyLoad): Promise<void> {
  const token = service.tokens[3] ?? '';
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    jti: string;
  };
  const get = { method: 'GET', path: '/v1.0/Company/4/ApiCalls' } as const;
  t.equal((await load.ask(token, get))?.status, 200);
  service.stores.eventLog.proxy.setMode('refuse');
  const adapters = await openAdapters(service.direct);
  t.teardown(() => adapters.close());
  const context = {
    companyId: 4,
    operationId: newId(),
    userId: null,
    username: 'cli:test@localhost',
    causationId: null,
    receivedAt: new Date().toISOString(),
  };
  const outcome = await revokeToken({ log: adapters.log, clock: systemClock }, context, jti);
  t.equal(outcome.kind, 'done');
  const revoked = performance.now();
  const late: (number | undefined)[] = [];
  while (late.length < 20) {
    const isLate = performance.now() > revoked + revokedWithinMs;
    const answer = await load.ask(token, get);
    if (isLate) late.push(answer?.status);
    await wait(20);
  }
  t.same([...new Set(late)], [503], 'without the log nobody is let in by knowledge of more than 5 s ago');
  service.stores.eventLog.proxy.setMode('pass');
  await service.untilReady();
  t.equal((await load.ask(token, get))?.status, 401);
}

if (skipWithoutServers) tap.test('outages', { skip: skipWithoutServers }, () => undefined);
else
  tap.test('servers that are taken away under load', { timeout: 1_800_000 }, async (t) => {
    const service = await serviceOnServers(t, [1, 2, 3, 4]);
    const [first = '', second = '', third = ''] = service.tokens;
    const load = new SteadyLoad(service.url);
    const atOnce = new MovingCompany(load, { companyId: 1, token: first, queued: false });
    const queued = new MovingCompany(load, { companyId: 2, token: second, queued: true });
    const surveys = new GrowingSurveys(load, { companyId: 3, token: third });
    load.start(atOnce.once, atOnce.look, queued.once, surveys.once);
    t.teardown(() => load.stop());
    const counts = (): number[] => [atOnce.count, queued.count, surveys.count];

    for (const fault of faultsOf(service))
      await t.test(`${fault.stores.join(' and ')}: ${fault.name}`, async (t) => {
        await fault.begin();
        const said = await saidFor(service, outageMs);
        await fault.end();
        if (fault.isAway)
          t.same(
            [...said].filter((one) => Object.values(missing).includes(one)).sort(),
            fault.stores.map((store) => missing[store]).sort(),
            'health names what is missing, and nothing else',
          );
        t.comment(`ready after ${Math.round(await service.untilReady())} ms`);
        const before = counts();
        const begun = performance.now();
        while (counts().some((count, index) => count <= (before[index] ?? 0) + goOn)) {
          if (performance.now() - begun > 60_000)
            throw new Error(
              `it does not go on: ${String(before)}, ${String(counts())}; ${load.problems.join('; ')}`,
            );
          await wait(50);
        }
        t.comment(`everything goes on after ${Math.round(performance.now() - begun)} ms`);
        t.same(load.problems.splice(0), [], 'every answer was right, or 503 with Retry-After');
      });
    await t.test('a token that is revoked while the log is away', (t) => revocation(t, service, load));

    await load.stop();
    t.comment(`${counts().join(', ')} calls carried out, ${load.refused} times 503`);
    for (const part of [atOnce, queued, surveys]) {
      const { there, wanted } = await settled(part);
      t.same(there, wanted, 'everything that was answered is there, once');
    }
    t.same(load.problems, []);
    t.ok(load.refused > 0, 'the outages were felt');
    const rollcall = rollcallWithin(service.direct.dataDir, adapterEnvironment(service.direct));
    t.match(await rollcall('audit verify'), { code: 0 });
    t.match(await rollcall('projections status'), { code: 0, out: /up to date/ });
    t.same(await service.parts.stop(), [0, 0, 0]);
  });
