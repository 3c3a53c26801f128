import assert from 'node:assert/strict';
import {
  helpBuilds,
  PartLeases,
  projections,
  rebuildInto,
  verifyReadModels,
  type ProjectorOptions,
} from '@rollcall/projector';
import { laggingParts, partCount, partOf, partsIn, partsOf, type LoadedEvent } from '@rollcall/application';
import t from 'tap';
import {
  append,
  configured,
  contents,
  emptyStore,
  openRig,
  projectAll,
  survey,
  whileProjecting,
  type Rig,
  largeRefusal,
} from './projector.support.js';
import { watched } from './watched.support.js';

/** Reads the leases when the test says so. */
class Polls {
  readonly #tasks = new Set<() => Promise<void>>();
  readonly every: NonNullable<ProjectorOptions['every']> = (_ms, task) => {
    this.#tasks.add(task);
    return () => void this.#tasks.delete(task);
  };

  async poll(): Promise<void> {
    await Promise.all([...this.#tasks].map((task) => task()));
  }
}

const companies = Array.from({ length: 40 }, (_, n) => n + 1);

/** One event in each of many parts; the position of the last. */
async function round(on: Rig, name: string): Promise<bigint> {
  let last = 0n;
  for (const id of companies)
    last = await append(on, `company-${id}`, configured(id, name), { companyId: id });
  return last;
}

/** Until two projectors have half of the parts each. */
async function evenly(on: Rig, polls: readonly Polls[]): Promise<void> {
  const live = await on.readModels.liveGeneration();
  for (let n = 0; n < 400; n += 1) {
    const held = (await live.leases())
      ?.split(' ')
      .map((one) => partsIn(BigInt(`0x${one.split(':')[2]}`)).length);
    if (held?.join() === '32,32') return;
    for (const one of polls) await one.poll();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('they do not share');
}

async function asAlone(on: Rig): Promise<void> {
  const alone = await emptyStore(t, on);
  await projectAll({ ...on, readModels: alone, projections });
  assert.deepEqual(await contents(on.readModels), await contents(alone));
}

t.test('the part of a stream never changes', async (t) => {
  const names = [
    'company-1',
    'company-7',
    'company-200000',
    'installation',
    'api-users',
    'survey-12',
    'key-00ff',
  ];
  t.strictSame(names.map(partOf), [5, 47, 53, 52, 27, 63, 57]);
  for (const stream of ['company-7', 'invitation-7-1', 'invitation-7-93'])
    t.equal(partOf(stream), partOf('company-7'), stream);
  const sizes = new Map<number, number>();
  for (let id = 1; id <= 6_400; id += 1) {
    const part = partOf(`company-${id}`);
    sizes.set(part, (sizes.get(part) ?? 0) + 1);
  }
  t.equal(sizes.size, partCount);
  t.ok(Math.max(...sizes.values()) < 150, 'they are of one size');
});

/** The others look meanwhile, as they do each second. */
async function reached(on: Rig, polls: readonly Polls[], position: bigint): Promise<boolean> {
  for (let n = 0; n < 200; n += 1) {
    if (await on.readModels.reachedPosition(position, 50)) return true;
    for (const one of polls) await one.poll();
  }
  return false;
}

t.test('two at once share the parts, and one takes all when the other has gone', async (t) => {
  const on = await openRig(t);
  const [one, two] = [new Polls(), new Polls()];
  const applied = [new Set<string>(), new Set<string>()];
  const onApplied = (who: number) => (event: LoadedEvent) =>
    Promise.resolve(void applied[who]?.add(event.stream));
  const run = { ...on, projections };
  await whileProjecting({ ...run, every: one.every, onApplied: onApplied(0) }, async () => {
    t.equal(await on.readModels.reachedPosition(await round(on, 'alone'), 20_000), true);
    await whileProjecting({ ...run, every: two.every, onApplied: onApplied(1) }, async () => {
      for (let n = 0; n < 6; n += 1)
        t.equal(await reached(on, [one, two], await round(on, `both ${n}`)), true);
      await evenly(on, [one, two]);
      for (const streams of applied) streams.clear();
      await append(on, 'operation-1', largeRefusal());
      t.equal(await on.readModels.reachedPosition(await round(on, 'shared'), 20_000), true);
      const [first = new Set(), second = new Set()] = applied;
      t.ok(first.size > 10 && second.size > 10, `${first.size} and ${second.size}`);
      t.strictSame(
        [...first].filter((stream) => second.has(stream)),
        [],
        'no stream is projected twice',
      );
    });
    t.equal(await reached(on, [one], await round(on, 'after')), true);
    t.strictSame(laggingParts(await on.readModels.progress()), []);
  });
  await asAlone(on);
});

t.test('one that stands still loses its parts to the other', async (t) => {
  const on = await openRig(t);
  const polls = [new Polls(), new Polls()] as const;
  let isStill = false;
  let goOn = (): void => undefined;
  const still = new Promise<void>((resolve) => (goOn = resolve));
  const hung = watched(on.readModels, { advance: () => (isStill ? still : undefined) });
  const run = { ...on, projections };
  await whileProjecting({ ...run, every: polls[0].every }, () =>
    whileProjecting({ ...run, readModels: hung, every: polls[1].every }, async () => {
      await evenly(on, polls);
      isStill = true;
      const last = await round(on, 'one');
      t.equal(await on.readModels.reachedPosition(last, 200), false);
      t.ok(laggingParts(await on.readModels.progress()).length > 10);
      t.equal(await reached(on, polls, last), true, 'the other one has done them');
      goOn();
    }),
  );
  await asAlone(on);
});

t.test('one that starts behind others that were killed begins at once', async (t) => {
  const on = await openRig(t);
  await (await on.readModels.liveGeneration()).lease(undefined, `killed:3:${'f'.repeat(8)} another:4:0`);
  const every = (): (() => void) => () => undefined;
  await whileProjecting({ ...on, projections, every }, async () => {
    t.equal(await on.readModels.reachedPosition(await append(on, 'survey-1', survey(1, 'a')), 20_000), true);
  });
});

t.test('parts that are behind are verified up to where they are', async (t) => {
  const on = await openRig(t);
  await round(on, 'one');
  await projectAll({ ...on, projections });
  const last = await round(on, 'two');
  const live = await on.readModels.liveGeneration();
  for (const stream of ['company-7', 'company-8'])
    await rebuildInto(live, { log: on.log, projections, parts: partsOf([partOf(stream)]) }, last - 1n);
  await rebuildInto(live, { log: on.log, projections, parts: partsOf([partOf('company-7')]) }, last);
  t.match(await verifyReadModels(on), { kind: 'same' });
});

t.test('a rebuild is filled by all who help, for as long as somebody builds it', async (t) => {
  const on = await openRig(t);
  const last = await round(on, 'one');
  await projectAll({ ...on, projections });
  const generation = await on.readModels.newGeneration();
  const polls = new Polls();
  const end = new AbortController();
  const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  const run = { log: on.log, readModels: on.readModels, projections, every: polls.every, sleep };
  const helping = helpBuilds({ ...run, signal: end.signal });
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.strictSame(await generation.progress(), { position: undefined }, 'not before the builder has begun');
  const ofBuilder = 'builder:1:ffffffff';
  await generation.lease(undefined, ofBuilder);
  for (let n = 0; laggingParts(await generation.progress()).length !== 32 && n < 500; n += 1) await sleep();
  const { parts } = await generation.progress();
  t.strictSame(parts, [...Array<undefined>(32).fill(undefined), ...Array<bigint>(32).fill(last)]);
  for (let n = 0; n < 8; n += 1) await polls.poll();
  for (let n = 0; (await generation.leases()) !== ofBuilder && n < 500; n += 1) await sleep();
  t.equal(await generation.leases(), ofBuilder, 'nobody renews the claim, so nobody helps any more');
  await rebuildInto(generation, { ...run, leases: new PartLeases(generation) }, last);
  await generation.switchTo();
  t.strictSame(laggingParts(await on.readModels.progress()), []);
  await asAlone(on);
  end.abort();
  await helping;
});
