import { projections, runProjector, STAND_BY_MS } from '@rollcall/projector';
import { type LoadedEvent, type Progress, ReadModelsUnavailable } from '@rollcall/application';

import t from 'tap';
import { newEvents, put } from '../conformance/event-log.support.js';
import {
  append,
  openRig,
  contents,
  document,
  largeRefusal,
  projectAll,
  refused,
  survey,
  whileProjecting,
} from './projector.support.js';
import { inParts, PARTS, watched } from './watched.support.js';

t.test('small events share transactions, in order and up to the end of the log', async (t) => {
  const on = await openRig(t);
  for (let stream = 0; stream < 12; stream += 1) {
    await append(
      on,
      `survey-${stream + 1}`,
      Array.from({ length: 100 }, (_, n) => survey(stream + 1, `${n}`)),
    );
  }
  const moves: Progress[] = [];
  const readModels = watched(on.readModels, (next) => moves.push(next));
  await projectAll({ ...on, readModels, projections });
  t.ok(moves.length <= 5, `${moves.length} transactions for 1,200 events`);
  t.ok(moves.every(({ parts }) => parts === 0));
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
      t.equal(await on.readModels.reached(position, 10_000), true);
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `${n}` });
    }
  });
});

t.test('a large event is applied in parts, between what stands before and behind it', async (t) => {
  const on = await openRig(t);
  const before = await append(on, 'survey-1', survey(1, 'before'));
  const large = await append(on, 'operation-1', largeRefusal());
  const behind = await append(on, 'survey-2', survey(2, 'behind'));
  const moves: Progress[] = [];
  const readModels = watched(on.readModels, ({ position, parts }) => moves.push({ position, parts }));
  await projectAll({ ...on, readModels, projections: [...projections, inParts] });
  const parts = Array.from({ length: PARTS + 1 }, (_, n) => ({ position: before, parts: n + 1 }));
  t.strictSame(moves, [
    { position: before, parts: 0 },
    ...parts,
    { position: large, parts: 0 },
    { position: behind, parts: 0 },
  ]);
  t.equal((await contents(on.readModels, ['seen'])).filter((one) => one.startsWith('seen')).length, PARTS);
});

for (let crash = 0; crash < PARTS + 4; crash += 1) {
  t.test(
    `after a crash before transaction ${crash + 1} it goes on with the part that is missing`,
    async (t) => {
      const on = await openRig(t);
      await append(on, 'survey-1', survey(1, 'before'));
      await append(on, 'operation-1', largeRefusal());
      await append(on, 'survey-1', survey(1, 'behind'));
      const applied: string[] = [];
      const record = (next: Progress) => applied.push(`${next.position}/${next.parts}`);
      const end = new AbortController();
      const dying = watched(on.readModels, (next) => {
        if (applied.length === crash) {
          end.abort();
          throw new ReadModelsUnavailable('killed');
        }
        record(next);
      });
      const run = { ...on, projections: [...projections, inParts] };
      await runProjector({ ...run, readModels: dying, signal: end.signal });
      const rest = watched(on.readModels, record);
      await projectAll({ ...run, readModels: rest });
      t.equal(new Set(applied).size, applied.length, 'no part twice');
      t.equal(applied.length, PARTS + 4);
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'behind' });
      t.equal(
        (await contents(on.readModels, ['seen'])).filter((one) => one.startsWith('seen')).length,
        PARTS,
      );
    },
  );
}

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
        t.equal(await on.readModels.reached(position, 10_000), true);
        t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `b${n}` });
      }
    }),
  );
  t.ok(waits.length > 0, 'somebody stood by');
  t.ok(
    waits.every((ms) => ms === STAND_BY_MS),
    'and nobody failed',
  );
});

t.test('one that stands by takes over when the active one stands still', async (t) => {
  const on = await openRig(t);
  const first = await append(on, 'survey-1', survey(1, 'first'));
  let overtake = true;
  let slept = 0;
  // Somebody else moves the read models in the middle of the first transaction, and then never again.
  const readModels = watched(on.readModels, async () => {
    if (overtake)
      await on.readModels.apply({ position: undefined, parts: 0 }, [], { position: first, parts: 0 });
    overtake = false;
  });
  const sleep = async () => {
    slept += 1;
    if (slept === 1) await put(on.log, 'payload-1', 'no-stream', newEvents(3));
    if (slept === 3) await append(on, 'survey-1', survey(1, 'second'));
  };
  const run = { ...on, readModels, projections, sleep };
  await whileProjecting(run, async () => {
    t.equal(await on.readModels.reached(first + 4n, 10_000), true);
  });
  t.ok(slept >= 3, 'pieces of large data are nothing to take over for');
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'second' });
});

t.test('onApplied comes once for each event, when all of it can be read', async (t) => {
  const on = await openRig(t);
  const told: string[] = [];
  const onApplied = async (event: LoadedEvent): Promise<void> => {
    t.equal(await on.readModels.reached(event.position, 0), true);
    told.push(`${event.stream}@${event.revision}`);
    if (event.revision === 1) throw new TypeError('of no consequence');
  };
  await append(on, 'survey-1', [survey(1, 'a'), survey(1, 'b'), survey(1, 'c')]);
  await append(on, 'operation-1', [largeRefusal(), refused()]);
  await projectAll({ ...on, projections, onApplied });
  t.strictSame(told, ['survey-1@0', 'survey-1@1', 'survey-1@2', 'operation-1@0', 'operation-1@1']);
  t.strictSame(await on.readModels.parkedStreams(), []);
});
