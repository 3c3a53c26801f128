import {
  ReadModelsUnavailable,
  type Position,
  type ReadModels,
  type ReadModelWriter,
} from '@rollcall/application';
import { projections, runProjector, type Projection } from '@rollcall/projector';
import t from 'tap';
import { withLive } from '../support/writable.js';
import { operationId, person, row } from './import-calls.support.js';
import { queued } from './import-events.support.js';
import { append, document, employeeSet, openRig, projectAll, survey } from './projector.support.js';
import { seen } from './watched.support.js';

type Moved = Parameters<ReadModelWriter['advance']>;

/** Asks before each call by which documents or the progress come into the store. */
const asking = (
  store: ReadModels,
  ask: { readonly write?: () => void; readonly advance?: (...moved: Moved) => void },
): ReadModels =>
  withLive(store, (live) => ({
    write: async (stages) => {
      ask.write?.();
      return live.write(stages);
    },
    advance: async (...moved) => {
      ask.advance?.(...moved);
      return live.advance(...moved);
    },
  }));

t.test('the documents of a batch of small events go with the progress behind them', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', [survey(1, 'first'), survey(1, 'second')]);
  const last = await append(on, 'survey-2', survey(2, 'third'));
  let written = 0;
  const moved: (readonly [Position | undefined, boolean])[] = [];
  const readModels = asking(on.readModels, {
    write: () => (written += 1),
    advance: (_, { position }, changes) => moved.push([position, changes?.documents !== undefined]),
  });
  await projectAll({ ...on, readModels, projections });
  t.strictSame([written, moved], [0, [[last, true]]]);
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'second' });
  t.match(await document(on.readModels, 'surveys', [7, 2]), { name: 'third' });
});

/** Notes the name of each survey, and fails at this one. */
const noting = (poison?: string): Projection => ({
  collection: 'seen',
  changes: {
    SurveyCreated: ({ stream, revision, data: { name } }) => [
      {
        ...seen([revision, stream], { name }),
        evolve: (stored) => {
          if (name === poison) throw new RangeError('it cannot be applied');
          return seen([revision, stream], { name }).evolve(stored);
        },
      },
    ],
  },
});

t.test('they take it no further than to an event of theirs that cannot be applied', async (t) => {
  const on = await openRig(t);
  const first = await append(on, 'survey-1', survey(1, 'first'));
  await append(on, 'survey-2', survey(2, 'bad'));
  await append(on, 'survey-3', survey(3, 'last'));
  const end = new AbortController();
  const readModels = asking(on.readModels, {
    advance: (_expected, _next, changes) => {
      if (changes?.park === undefined) return;
      end.abort();
      throw new ReadModelsUnavailable('killed before it is parked');
    },
  });
  await runProjector({ ...on, readModels, projections: [noting('bad')], signal: end.signal });
  t.equal((await on.readModels.progress()).position, first);
  t.same(
    await document(on.readModels, 'seen', [0, 'survey-3']),
    { name: 'last' },
    'what is behind it is there',
  );
  await projectAll({ ...on, projections: [noting()] });
  t.same(await document(on.readModels, 'seen', [0, 'survey-2']), { name: 'bad' });
  t.strictSame((await on.readModels.progress()).position, await on.log.lastPosition());
});

/** A document of 6 MiB for each survey. */
const heavy: Projection = {
  collection: 'seen',
  changes: {
    SurveyCreated: ({ stream, revision }) => [
      seen([revision, stream], { text: 'x'.repeat(6 * 1024 * 1024) }),
    ],
  },
};

t.test('what is written early in a batch is read again for its later events', async (t) => {
  const on = await openRig(t);
  await append(on, 'company-7', queued(operationId), { operationId });
  for (const n of [1, 2, 3]) await append(on, `survey-${n}`, survey(n, 'heavy'));
  const set = employeeSet({ added: [{ number: 1, id: 'a' }], total: 1, lastNumber: 1 });
  await append(on, 'company-7', set, { operationId, ...person });
  let written = 0;
  const readModels = asking(on.readModels, { write: () => (written += 1) });
  await projectAll({ ...on, readModels, projections: [...projections, heavy] });
  t.equal(written, 1, 'before the progress');
  t.equal(await document(on.readModels, 'pending-imports', [7, operationId]), undefined);
  t.match(await row(on), { HttpStatusCode: 200, UserId: 3, Username: 'HR system' });
});
