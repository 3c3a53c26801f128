import { projections, rebuild, runProjector, standbyMs, type ProjectorOptions } from '@rollcall/projector';
import { type LoadedEvent, ReadModelsUnavailable } from '@rollcall/application';

import t from 'tap';
import { newEvents, put } from '../conformance/event-log.support.js';
import {
  append,
  openRig,
  contents,
  document,
  emptyStore,
  largeRefusal,
  projectAll,
  refused,
  survey,
  whileProjecting,
} from './projector.support.js';
import { inParts, watched } from './watched.support.js';

t.test('small events share transactions, in order and up to the end of the log', async (t) => {
  const on = await openRig(t);
  for (let stream = 0; stream < 12; stream += 1) {
    await append(
      on,
      `survey-${stream + 1}`,
      Array.from({ length: 100 }, (_, n) => survey(stream + 1, `${n}`)),
    );
  }
  let [written, moved] = [0, 0];
  const readModels = watched(on.readModels, { write: () => (written += 1), advance: () => (moved += 1) });
  await projectAll({ ...on, readModels, projections });
  t.ok(written <= 5, `${written} writes for 1,200 events`);
  t.ok(moved <= 5, `${moved} moves of the progress`);
  t.strictSame((await on.readModels.progress()).position, await on.log.lastPosition());
  for (let stream = 0; stream < 12; stream += 1) {
    t.match(await document(on.readModels, 'surveys', [7, stream + 1]), { name: '99' });
  }
});

t.test('it comes to the end of the log also where that holds nothing for it', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  const lost = { ...on, log: { ...on.log } };
  lost.log.append = (stream, expected, events) => {
    if (stream === 'operation-1') throw new TypeError('killed');
    return on.log.append(stream, expected, events);
  };
  await t.rejects(append(lost, 'operation-1', largeRefusal()));
  await projectAll({ ...on, projections });
  t.equal((await on.readModels.progress()).position, await on.log.lastPosition());
});

t.test('what is appended while it runs is applied at once', async (t) => {
  const on = await openRig(t);
  await whileProjecting({ ...on, projections }, async () => {
    for (let n = 0; n < 20; n += 1) {
      const position = await append(on, 'survey-1', survey(1, `${n}`));
      t.equal(await on.readModels.reachedPosition(position, 10_000), true);
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `${n}` });
    }
  });
});

for (let crash = 0; crash < 7; crash += 1)
  t.test(
    `after a crash before question ${crash + 1} to the store everything comes to the same`,
    async (t) => {
      const on = await openRig(t);
      await append(on, 'survey-1', survey(1, 'before'));
      await append(on, 'operation-1', largeRefusal());
      await append(on, 'survey-1', survey(1, 'behind'));
      const end = new AbortController();
      let asked = 0;
      const die = (): void => {
        if (asked++ < crash) return;
        end.abort();
        throw new ReadModelsUnavailable('killed');
      };
      const run = { ...on, projections: [...projections, inParts] };
      const dying = watched(on.readModels, { write: die, advance: die });
      await Promise.race([
        runProjector({ ...run, readModels: dying, signal: end.signal }),
        on.readModels.reachedPosition((await on.log.lastPosition()) ?? 0n, 20_000),
      ]);
      end.abort();
      await projectAll(run);
      const whole = await emptyStore(t, on);
      await projectAll({ ...run, readModels: whole });
      t.strictSame(await contents(on.readModels, ['seen']), await contents(whole, ['seen']));
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'behind' });
    },
  );

t.test('two at once do no harm, and one of them stands by', async (t) => {
  const on = await openRig(t);
  const waits: number[] = [];
  const sleep = async (ms: number, signal: AbortSignal) => {
    waits.push(ms);
    await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : 5));
  };
  const run = { ...on, projections: [...projections, inParts], sleep };
  await whileProjecting(run, () =>
    whileProjecting(run, async () => {
      for (let n = 0; n < 30; n += 1) {
        await append(on, 'operation-1', largeRefusal(530_000 + n));
        const position = await append(on, 'survey-1', [survey(1, `a${n}`), survey(1, `b${n}`)]);
        t.equal(await on.readModels.reachedPosition(position, 10_000), true);
        t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `b${n}` });
      }
    }),
  );
  t.ok(waits.length > 0, 'somebody stood by');
  t.ok(
    waits.every((ms) => ms === standbyMs),
    'and nobody failed',
  );
});

t.test('one that stands by takes over when the active one stands still', async (t) => {
  const on = await openRig(t);
  const first = await append(on, 'survey-1', survey(1, 'first'));
  let overtake = true;
  let slept = 0;
  // Somebody else moves the read models before the first move, and then never again.
  const readModels = watched(on.readModels, {
    advance: async () => {
      if (overtake) await on.readModels.advance({ position: undefined }, { position: first });
      overtake = false;
    },
  });
  const sleep = async () => {
    slept += 1;
    if (slept === 1) await put(on.log, 'payload-1', 'no-stream', newEvents(3));
    if (slept === 3) await append(on, 'survey-1', survey(1, 'second'));
  };
  const run = { ...on, readModels, projections, sleep };
  await whileProjecting(run, async () => {
    t.equal(await on.readModels.reachedPosition(first + 4n, 10_000), true);
  });
  t.ok(slept >= 3, 'pieces of large data are nothing to take over for');
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'second' });
});

for (const [bytes, seconds] of [
  [600_000, 1],
  [9_000_000, 2],
] as const)
  t.test(`one that stands still at ${bytes} bytes is given ${seconds} s`, async (t) => {
    const on = await openRig(t);
    const first = await append(on, 'survey-1', survey(1, 'first'));
    const last = await append(on, 'operation-1', largeRefusal(bytes));
    const sleeps: number[] = [];
    const begun: number[] = [];
    const readModels = watched(on.readModels, {
      advance: async () => {
        begun.push(sleeps.length);
        // Somebody else has moved the read models meanwhile, and does not move them again.
        if (begun.length === 1) await on.readModels.advance({ position: undefined }, { position: first });
      },
    });
    const sleep = async (ms: number) => void sleeps.push(ms);
    await whileProjecting({ ...on, readModels, projections, sleep }, async () => {
      t.equal(await on.readModels.reachedPosition(last, 20_000), true);
    });
    t.strictSame(begun.slice(0, 2), [0, seconds], 'then it takes over');
    t.strictSame(
      sleeps.slice(0, seconds),
      Array.from({ length: seconds }, () => standbyMs),
    );
  });

t.test('onApplied comes once for each event, when all of it can be read', async (t) => {
  const on = await openRig(t);
  const told: string[] = [];
  const onApplied = async (event: LoadedEvent): Promise<void> => {
    t.equal(await on.readModels.reached(event.stream, event.revision, 0), true);
    told.push(`${event.stream}@${event.revision}`);
    if (event.revision === 1) throw new TypeError('of no consequence');
  };
  await append(on, 'survey-1', [survey(1, 'a'), survey(1, 'b'), survey(1, 'c')]);
  await append(on, 'operation-1', [largeRefusal(), refused()]);
  await projectAll({ ...on, projections, onApplied });
  t.strictSame(told, ['survey-1@0', 'survey-1@1', 'survey-1@2', 'operation-1@0', 'operation-1@1']);
  t.strictSame(await on.readModels.parkedStreams(), []);
});

t.test('after a switch it goes on in the live generation from where that one stands', async (t) => {
  const on = await openRig(t);
  const names: string[] = [];
  const silent = (): void => undefined;
  const info = (_details: object, message = ''): void => void names.push(message);
  const logger = { info, warn: silent, error: silent };
  await append(on, 'survey-1', survey(1, 'first'));
  await whileProjecting({ ...on, projections, logger }, async () => {
    for (let n = 0; n < 5; n += 1) {
      await rebuild(on.readModels, { log: on.log, projections });
      const position = await append(on, 'survey-1', survey(1, `after ${n}`));
      t.equal(await on.readModels.reachedPosition(position, 10_000), true);
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `after ${n}` });
    }
  });
  t.ok(names.includes('the projector goes on in the live read models'));
  const whole = await emptyStore(t, on);
  await projectAll({ ...on, readModels: whole, projections });
  t.strictSame(await contents(on.readModels), await contents(whole));
});

t.test('a switch to a generation that is behind is seen while nothing is appended', async (t) => {
  const on = await openRig(t);
  const position = await append(on, 'survey-1', survey(1, 'first'));
  let look = (): Promise<void> => Promise.resolve();
  const every: ProjectorOptions['every'] = (_ms, task) => ((look = task), () => undefined);
  await whileProjecting({ ...on, projections, every }, async () => {
    t.equal(await on.readModels.reachedPosition(position, 10_000), true);
    await (await on.readModels.newGeneration()).switchTo();
    t.equal(await on.readModels.reachedPosition(position, 0), false);
    await look();
    t.equal(await on.readModels.reachedPosition(position, 10_000), true);
  });
});
