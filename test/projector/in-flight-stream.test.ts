import { ReadModelsUnavailable } from '@rollcall/application';
import { leaseLookMs, projections, runProjector, type Projection } from '@rollcall/projector';

import t from 'tap';
import {
  append,
  openRig,
  document,
  largeRefusal,
  projectAll,
  refused,
  survey,
  whileProjecting,
} from './projector.support.js';
import { inParts, PARTS, seen, watched, writes } from './watched.support.js';
import type { Rig } from '../support/rig.js';
import { withMembers } from '../support/with-members.js';
import { exactly } from '../support/exactly.js';

/** A store that takes the large event of a stream only when its gate is open. */
function gated(on: Rig, stream = 'operation-f00d') {
  let [open, begin, fail] = [(): void => undefined, (): void => undefined, (): void => undefined];
  const gate = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = () => reject(new ReadModelsUnavailable('killed'));
  });
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const readModels = watched(on.readModels, {
    write: async (stages) => {
      if (!writes(stages, 'seen', [1, stream])) return;
      begin();
      await gate;
    },
  });
  return { readModels, begun, open: () => open(), fail: () => fail() };
}

for (const when of ['before', 'after'] as const)
  t.test(`a large event does not hold up other streams: it came ${when} the projector`, async (t) => {
    const on = await openRig(t);
    const { readModels, begun, open } = gated(on);
    const run = { ...on, readModels, projections: [...projections, inParts] };
    const before = await append(on, 'survey-9', survey(9, 'first'));
    if (when === 'before') await append(on, 'operation-f00d', largeRefusal());
    await whileProjecting(run, async () => {
      t.equal(await on.readModels.reachedPosition(before, 20_000), true);
      if (when === 'after') await append(on, 'operation-f00d', largeRefusal());
      const behind = await append(on, 'operation-f00d', refused());
      const other = await append(on, 'survey-1', survey(1, 'other'));
      await begun;
      t.equal(await on.readModels.reached('survey-1', 0, 20_000), true, 'another stream is there');
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'other' });
      t.equal(await on.readModels.reached('operation-f00d', 0, 0), false, 'the large event is not');
      t.equal(await on.readModels.reachedPosition(other, 0), false, 'so not everything is');
      t.equal((await on.readModels.progress()).position, before, 'the progress stops at the gap');
      t.same(await on.readModels.parkedStreams(), [], 'which is nothing broken');
      t.equal(
        await document(on.readModels, 'seen', [1, 'operation-f00d']),
        undefined,
        'what is behind it waits',
      );
      open();
      t.equal(await on.readModels.reachedPosition(behind, 20_000), true);
      t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), { part: PARTS, revision: 1 });
      const later = await append(on, 'operation-f00d', refused());
      t.equal(await on.readModels.reachedPosition(later, 20_000), true, 'the stream goes on');
      t.same(await document(on.readModels, 'seen', [1, 'operation-f00d']), { part: 1, revision: 2 });
    });
  });

t.test('what a crash left behind is taken up again, and what is there already is not written', async (t) => {
  const on = await openRig(t);
  const { readModels, begun, fail } = gated(on);
  const run = { ...on, projections: [...projections, inParts] };
  const end = new AbortController();
  const running = runProjector({ ...run, readModels, signal: end.signal });
  const large = await append(on, 'operation-f00d', largeRefusal());
  await append(on, 'survey-1', survey(1, 'other'));
  t.equal(await on.readModels.reached('survey-1', 0, 20_000), true);
  await begun;
  end.abort();
  fail();
  await running;
  t.equal(await on.readModels.reachedPosition(large, 0), false, 'it ended in the middle');
  const again: string[] = [];
  const noting = watched(on.readModels, {
    write: (stages) => again.push(...stages.flat().map(({ collection }) => collection)),
  });
  await projectAll({ ...run, readModels: noting });
  t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), { part: PARTS, revision: 0 });
  t.notOk(again.includes('surveys'), 'the survey was done');
});

t.test(
  'a hand-over in the middle of a large event: whoever comes late with it changes nothing',
  async (t) => {
    const on = await openRig(t);
    const { readModels, begun, open } = gated(on);
    const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 1));
    const run = { ...on, projections: [...projections, inParts], sleep };
    await append(on, 'operation-f00d', [largeRefusal(), refused()]);
    const expected = { part: PARTS, revision: 2 };
    // It shows nothing, and time flies for the other one.
    const paused = { ...run, readModels, every: () => () => undefined };
    let now = 0;
    const timer = (): number => (now += leaseLookMs);
    await whileProjecting(paused, async () => {
      await begun;
      await whileProjecting({ ...run, timer }, async () => {
        const last = await append(on, 'operation-f00d', refused());
        t.equal(await on.readModels.reachedPosition(last, 20_000), true, 'the other one has done it all');
      });
      t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), expected);
      open();
      const last = await append(on, 'survey-1', survey(1, 'later'));
      t.equal(await on.readModels.reachedPosition(last, 20_000), true, 'and the first one goes on');
      t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), expected);
    });
  },
);

t.test('many streams are in flight beside each other, and all of them arrive', async (t) => {
  const on = await openRig(t);
  const { readModels, begun, open } = gated(on, 'operation-1');
  for (const n of [1, 2, 3, 4])
    await append(on, `operation-${n}`, [largeRefusal(), refused(), largeRefusal(), refused()]);
  await whileProjecting({ ...on, readModels, projections: [...projections, inParts] }, async () => {
    await begun;
    for (const n of [2, 3, 4]) t.equal(await on.readModels.reached(`operation-${n}`, 3, 20_000), true);
    t.equal(await on.readModels.reached('operation-1', 0, 0), false);
    open();
    t.equal(await on.readModels.reached('operation-1', 3, 20_000), true);
    t.equal(await on.readModels.reachedPosition((await on.log.lastPosition()) ?? 0n, 20_000), true);
  });
});

t.test('a large event that cannot be applied parks its stream, and no other', async (t) => {
  const on = await openRig(t);
  const table: Projection = {
    collection: 'seen',
    changes: {
      ImportRefused: ({ stream, data }) => {
        if (data.validationErrors.some((one) => one.length > 100_000))
          throw new RangeError('a value of a person');
        return [seen([1, stream], {})];
      },
    },
  };
  const run = { ...on, projections: [...projections, table] };
  await whileProjecting(run, async () => {
    await append(on, 'operation-f00d', [largeRefusal(), refused()]);
    const other = await append(on, 'survey-1', survey(1, 'other'));
    t.equal(await on.readModels.reachedPosition(other, 20_000), true);
  });
  t.match(
    await on.readModels.parkedStreams(),
    exactly([{ stream: 'operation-f00d', revision: 0, problem: /^RangeError/ }]),
  );
  t.equal(
    await document(on.readModels, 'seen', [1, 'operation-f00d']),
    undefined,
    'nor what stands behind it',
  );
});

t.test('a stop ends it, however much waits behind a large event', async (t) => {
  const on = await openRig(t);
  let [open, fill] = [(): void => undefined, (): void => undefined];
  const gate = new Promise<undefined>((resolve) => (open = () => resolve(undefined)));
  const full = new Promise<void>((resolve) => (fill = resolve));
  await append(on, 'operation-f00d', largeRefusal());
  // 70 of them are more than the 32 MiB that may wait. Another one waits to be taken.
  for (let n = 0; n < 71; n += 1) await append(on, 'operation-f00d', largeRefusal(480_000));
  const log = withMembers(on.log, {
    subscribeToAll: async function* (options) {
      for await (const item of on.log.subscribeToAll(options)) {
        if (item.kind === 'event' && item.event.revision === 71) fill();
        yield item;
      }
    },
  });
  const last = await append(on, 'survey-1', survey(1, 'last'));
  const run = { ...on, projections: [...projections, inParts] };
  const end = new AbortController();
  const running = runProjector({ ...run, log, beside: () => gate, signal: end.signal });
  await full;
  end.abort();
  open();
  await running;
  t.notOk(await on.readModels.reachedPosition(last, 0), 'the progress passes nothing that was not taken');
  await projectAll(run);
  t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), { part: PARTS, revision: 71 });
});
