import { leaseLookMs, projections, rebuild, runProjector, type ProjectorOptions } from '@rollcall/projector';
import { everyByTimer, type LoadedEvent, ReadModelsUnavailable } from '@rollcall/application';

import t from 'tap';
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

t.test('two at once share the parts, and one goes on alone with all of them', async (t) => {
  const on = await openRig(t);
  const waits: number[] = [];
  const sleep = async (ms: number, signal: AbortSignal) => {
    waits.push(ms);
    await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : 5));
  };
  const every: ProjectorOptions['every'] = (_ms, task) => everyByTimer(5, task);
  const applied = [0, 0];
  const run = (n: number) => ({
    ...{ ...on, projections: [...projections, inParts], sleep, every },
    onApplied: () => Promise.resolve(void (applied[n] = (applied[n] ?? 0) + 1)),
  });
  const write = async (n: number): Promise<void> => {
    await append(on, `operation-${n % 7}`, largeRefusal(530_000 + n));
    const id = 1 + (n % 16);
    const position = await append(on, `survey-${id}`, [survey(id, `a${n}`), survey(id, `b${n}`)]);
    t.equal(await on.readModels.reachedPosition(position, 10_000), true);
    t.match(await document(on.readModels, 'surveys', [7, id]), { name: `b${n}` });
  };
  await whileProjecting(run(0), async () => {
    await whileProjecting(run(1), async () => {
      for (let n = 0; n < 30; n += 1) await write(n);
      t.ok(
        applied.every((count) => count > 0),
        'both project',
      );
      const { shares = [] } = await on.readModels.progress();
      t.equal(new Set(shares.map(({ holder }) => holder)).size, 2);
    });
    for (let n = 30; n < 40; n += 1) await write(n);
  });
  t.equal((await on.readModels.progress()).shares, undefined, 'nobody holds a part');
  t.ok(
    waits.every((ms) => ms === leaseLookMs),
    'and nobody failed',
  );
  const whole = await emptyStore(t, on);
  await projectAll({ ...run(0), readModels: whole });
  t.strictSame(await contents(on.readModels, ['seen']), await contents(whole, ['seen']));
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
