import { projections, runProjector, type Projection } from '@rollcall/projector';

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
  type Rig,
} from './projector.support.js';
import { PARTS, put } from './watched.support.js';

/** Refused imports in parts, the third of which waits for its gate. */
function gated() {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const began: string[] = [];
  const table: Projection = {
    ImportRefused: async function* (event) {
      for (let part = 1; part <= PARTS; part += 1) {
        began.push(`${event.revision}/${part}`);
        if (part === 3 && event.size > 100_000) await gate;
        yield [put([part, event.stream], { part, revision: event.revision })];
      }
    },
  };
  return { table, began, open };
}

/** Resolves when a projector that was started has begun: what is appended from now on is new to it. */
async function begun(on: Rig): Promise<void> {
  const position = await append(on, 'survey-9', survey(9, 'first'));
  if (!(await on.readModels.reached(position, 20_000))) throw new Error('the projector did not begin');
}

t.test('a large event does not hold up other streams', async (t) => {
  const on = await openRig(t);
  const { table, began, open } = gated();
  const run = { ...on, projections: [...projections, table], largeBeside: true };
  await whileProjecting(run, async () => {
    await begun(on);
    const large = await append(on, 'operation-f00d', largeRefusal());
    const behind = await append(on, 'operation-f00d', refused());
    const other = await append(on, 'survey-1', survey(1, 'other'));
    t.equal(
      await on.readModels.reached(other, 20_000, { stream: 'survey-1' }),
      true,
      'another stream is there',
    );
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'other' });
    t.equal(
      await on.readModels.reached(large, 0, { stream: 'operation-f00d' }),
      false,
      'the large event is not',
    );
    t.equal(await on.readModels.reached(other, 0), false, 'so not everything is');
    t.match(await on.readModels.laggingStreams(), [{ stream: 'operation-f00d', revision: 0 }]);
    t.same(await on.readModels.parkedStreams(), [], 'which is nothing broken');
    t.notOk(
      began.some((part) => part.startsWith('1/')),
      'what stands behind it on its stream waits for it',
    );
    open();
    t.equal(await on.readModels.reached(behind, 20_000, { stream: 'operation-f00d' }), true);
    t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), { part: PARTS, revision: 1 });
    const later = await append(on, 'operation-f00d', refused());
    t.equal(await on.readModels.reached(later, 20_000), true, 'the stream is among the others again');
    t.same(await document(on.readModels, 'seen', [1, 'operation-f00d']), { part: 1, revision: 2 });
    t.same(await on.readModels.laggingStreams(), []);
  });
});

t.test('one that was there before the projector is projected in its turn', async (t) => {
  const on = await openRig(t);
  const { table, began, open } = gated();
  const run = { ...on, projections: [...projections, table], largeBeside: true };
  await append(on, 'operation-f00d', largeRefusal());
  const other = await append(on, 'survey-1', survey(1, 'other'));
  await whileProjecting(run, async () => {
    while (began.length < 3) await new Promise((resolve) => setImmediate(resolve));
    t.same(await on.readModels.laggingStreams(), []);
    t.equal(await document(on.readModels, 'surveys', [7, 1]), undefined, 'what stands behind it waits');
    open();
    t.equal(await on.readModels.reached(other, 20_000), true);
  });
});

t.test('what a crash left behind is taken up again', async (t) => {
  const on = await openRig(t);
  const { table, open } = gated();
  const run = { ...on, projections: [...projections, table], largeBeside: true };
  const end = new AbortController();
  const running = runProjector({ ...run, signal: end.signal });
  await begun(on);
  await append(on, 'operation-f00d', largeRefusal());
  const other = await append(on, 'survey-1', survey(1, 'other'));
  t.equal(await on.readModels.reached(other, 20_000, { stream: 'survey-1' }), true);
  end.abort();
  open();
  await running;
  t.equal((await on.readModels.laggingStreams()).length, 1, 'it ended in the middle');
  await projectAll({ ...run, largeBeside: true });
  t.same(await on.readModels.laggingStreams(), []);
  t.same(await document(on.readModels, 'seen', [PARTS, 'operation-f00d']), { part: PARTS, revision: 0 });
});

t.test('a large event that cannot be applied breaks its stream, and no other', async (t) => {
  const on = await openRig(t);
  const table: Projection = {
    ImportRefused: async function* (event) {
      yield [put([1, event.stream], { part: 1 })];
      if (event.size > 100_000) throw new RangeError('a value of a person');
    },
  };
  const run = { ...on, projections: [...projections, table], largeBeside: true };
  await whileProjecting(run, async () => {
    await begun(on);
    await append(on, 'operation-f00d', largeRefusal());
    const other = await append(on, 'survey-1', survey(1, 'other'));
    t.equal(await on.readModels.reached(other, 20_000), true);
  });
  t.match(await on.readModels.parkedStreams(), [
    { stream: 'operation-f00d', revision: 0, problem: /^RangeError/ },
  ]);
});
