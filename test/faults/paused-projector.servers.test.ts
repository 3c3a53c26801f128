import { leaseLookMs, verifyReadModels } from '@rollcall/projector';
import { openAdapters, type Adapters, type AdaptersConfig } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import tap, { type Test } from 'tap';
import { append, employeeSet, survey } from '../projector/projector.support.js';
import { startChild, type ChildProcess } from '../servers/child-process.js';
import { skipWithoutServers, startThreeServers } from '../servers/three-servers.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { serverAdapters } from '../support/test-stack.js';
import { scale } from '../support/scale.js';

const rounds = Math.max(1, Math.round(20 * scale));
const withinMs = 120_000;
const surveys = 12;
const people = 300;

tap.setTimeout(1_800_000);

const write = (on: Adapters, stream: string, events: Parameters<typeof append>[2]): Promise<bigint> =>
  append({ log: on.log, clock: systemClock }, stream, events);

const employees = (name: string, first: boolean) =>
  employeeSet({
    total: people,
    lastNumber: people,
    [first ? 'added' : 'changed']: Array.from({ length: people }, (_, n) => ({
      number: n + 1,
      id: `A-${n}`,
      name,
    })),
  });

/** Changes the same documents again and again, faster than anybody projects them, until it is told to end. */
async function keepWriting(on: Adapters, begun: boolean, until: AbortSignal): Promise<void> {
  let first = !begun;
  for (let n = 0; !until.aborted; n += 1) {
    const names = Array.from({ length: 30 }, (_, index) => `${n}-${index}`);
    for (let id = 1; id <= surveys; id += 1)
      await write(
        on,
        `survey-${id}`,
        names.map((name) => survey(id, name)),
      );
    await write(on, 'company-7', employees(`Name ${n}`, first));
    first = false;
  }
}

const positionOf = async ({ readModels }: Adapters): Promise<bigint> =>
  (await readModels.progress()).position ?? 0n;

/** Whether the read models move on within so many milliseconds. */
async function move(on: Adapters, ms: number): Promise<boolean> {
  const before = await positionOf(on);
  for (const end = performance.now() + ms; performance.now() < end;) {
    if ((await positionOf(on)) > before) return true;
    await wait(5);
  }
  return false;
}

const hasWork = async (on: Adapters): Promise<boolean> =>
  ((await on.log.lastPosition()) ?? 0n) > (await positionOf(on));

/** Stops the one that moves the read models, while there is more to do; the other one does not know yet. */
async function pauseActive(on: Adapters, both: readonly ChildProcess[]): Promise<ChildProcess> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    if (!(await move(on, withinMs))) break;
    for (const one of both) {
      one.signal('SIGSTOP');
      if (!(await move(on, leaseLookMs * 0.7)) && (await hasWork(on))) return one;
      one.signal('SIGCONT');
    }
  }
  throw new Error('nobody projects');
}

async function round(t: Test, config: AdaptersConfig, on: Adapters, begun: boolean): Promise<void> {
  const options = { dataDir: config.dataDir, env: adapterEnvironment(config) };
  const both = await Promise.all([startChild('projector', options), startChild('projector', options)]);
  t.teardown(() => Promise.all(both.map((one) => one.kill())));
  const writing = new AbortController();
  const written = keepWriting(on, begun, writing.signal);
  try {
    const paused = await pauseActive(on, both);
    t.ok(await move(on, withinMs), 'the other one takes over');
    t.ok(await move(on, withinMs), 'and goes on');
    writing.abort();
    await written;
    const last = (await on.log.lastPosition()) ?? 0n;
    t.ok(await on.readModels.reachedPosition(last, withinMs), 'to the end');
    paused.signal('SIGCONT');
    // It ends after what it had in hand.
    t.same(await Promise.all(both.map((one) => one.stop())), [0, 0]);
  } finally {
    writing.abort();
    await written;
  }
  const verdict = await verifyReadModels({ ...on });
  t.match(verdict, { kind: 'same' }, 'the read models equal a rebuild');
}

async function pausedOn(t: Test, config: AdaptersConfig): Promise<void> {
  const on = await openAdapters(config);
  t.teardown(() => on.close());
  for (let n = 0; n < rounds; n += 1)
    await t.test(`round ${n + 1} of ${rounds}`, { timeout: 300_000 }, (t) => round(t, config, on, n > 0));
}

async function dataFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-paused-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

tap.test('one of two projectors is paused, on servers', { skip: skipWithoutServers }, async (t) => {
  const servers = await startThreeServers();
  t.teardown(() => servers.stop());
  await pausedOn(t, await serverAdapters(t, await dataFolder(t), servers.urls));
});
