import {
  projections,
  describeDifference,
  rebuild,
  verifyReadModels,
  type ReadModelsVerdict,
} from '@rollcall/projector';
import {
  blocksCollection,
  type DocumentKey,
  evolveRows,
  ForeignReadModels,
  type ReadOptions,
  type RecordedEvent,
  verifyLog,
} from '@rollcall/application';

import t from 'tap';
import { exactly } from '../support/exactly.js';
import {
  append,
  openRig,
  configured,
  contents,
  employeeSet,
  largeRefusal,
  projectAll,
  survey,
  whileProjecting,
  type Rig,
} from './projector.support.js';
import { bent, forge, isAt, tampered } from './tampered.support.js';
import { recordOf } from '../support/encode-rows.js';
import { setAside } from '../support/set-aside.js';

/** What the history comes to, the heads of streams among them. */
const DOCUMENTS = 13;

async function history(on: Rig): Promise<void> {
  await append(on, 'company-7', configured(7, 'Example A/S'));
  await append(on, 'survey-1', [survey(1, 'First'), survey(1, 'Second')]);
  const added = Array.from({ length: 20 }, (_, n) => ({ number: n + 1, id: `E-${n}` }));
  await append(on, 'company-7', employeeSet({ added, total: 20, lastNumber: 20 }));
  on.clock.at += 1_000;
  await append(on, 'operation-1', largeRefusal());
  await append(on, 'survey-2', survey(2, 'Third'));
}

/** The problem that verification reports at an event whose staged data were changed. */
const refers = { stream: 'operation-1', revision: 0, problem: /^The staged data in data-/ };

t.test('a whole log is whole', async (t) => {
  const on = await openRig(t);
  t.strictSame(await verifyLog(on.log), { kind: 'whole', streams: 0, events: 0, chunks: 0, notices: [] });
  await history(on);
  t.strictSame(await verifyLog(on.log), { kind: 'whole', streams: 5, events: 6, chunks: 2, notices: [] });
});

t.test('whatever was changed in the log is found where it stands', async (t) => {
  const on = await openRig(t);
  await history(on);
  const cases: [string, string, number, (event: RecordedEvent) => RecordedEvent | undefined][] = [
    ['data', 'survey-1', 1, (event) => ({ ...event, data: bent(event.data) })],
    ['metadata', 'company-7', 0, (event) => ({ ...event, metadata: bent(event.metadata) })],
    ['type', 'survey-2', 0, (event) => ({ ...event, type: 'SurveyUpdated' })],
    [
      'id',
      'survey-1',
      0,
      (event) => ({ ...event, id: event.id.replace(/^./, (c) => (c === '0' ? '1' : '0')) }),
    ],
    ['a piece', 'data-', 0, (event) => ({ ...event, data: bent(event.data) })],
    ['the last piece', 'data-', 1, (event) => ({ ...event, data: bent(event.data) })],
  ];
  for (const [what, stream, revision, change] of cases) {
    const log = tampered(on.log, (event) => (isAt(event, stream, revision) ? change(event) : event));
    const verdict = await verifyLog(log);
    const found = { revision, stream: new RegExp(`^${stream}`) };
    const broken = exactly(stream === 'data-' ? [found, refers] : [found]);
    t.match(verdict, { kind: 'broken', broken }, what);
  }
});

t.test('a stream whose readers are given less than the whole log has is broken', async (t) => {
  const on = await openRig(t);
  await history(on);
  const { log } = on;
  const all = {
    subscribeToAll: log.subscribeToAll.bind(log),
    readStream: log.readStream.bind(log),
    readLast: log.readLast.bind(log),
    lastPosition: log.lastPosition.bind(log),
  };
  const shortened = {
    ...all,
    readStream: (stream: string, options?: ReadOptions) =>
      log.readStream(stream, stream === 'survey-1' && options?.limit === 1 ? { from: 1 } : options),
  };
  t.match(await verifyLog(shortened), {
    kind: 'broken',
    broken: exactly([{ stream: 'survey-1', problem: 'the stream begins at revision 1' }]),
  });
  const cut = {
    ...all,
    readLast: async (stream: string) => (stream === 'survey-1' ? undefined : await log.readLast(stream)),
  };
  t.match(await verifyLog(cut), {
    kind: 'broken',
    broken: exactly([
      { stream: 'survey-1', problem: 'the stream ends before revision 1, which the log has' },
    ]),
  });
});

t.test('what is missing is found at the event that shows it', async (t) => {
  const on = await openRig(t);
  await history(on);
  const without = (stream: string, revision: number) =>
    verifyLog(tampered(on.log, (event) => (isAt(event, stream, revision) ? undefined : event)));
  t.match(await without('survey-1', 0), {
    kind: 'broken',
    broken: exactly([{ stream: 'survey-1', revision: 1, problem: /0 is missing/ }]),
  });
  t.match(await without('data-', 0), {
    kind: 'broken',
    broken: exactly([{ stream: /^data-/, revision: 1, problem: /0 is missing/ }, refers]),
  });
  t.match(await without('data-', 1), {
    kind: 'broken',
    broken: exactly([refers]),
  });
  const noPieces = tampered(on.log, (event) => (event.stream.startsWith('data-') ? undefined : event));
  t.match(await verifyLog(noPieces), {
    kind: 'broken',
    broken: exactly([refers]),
  });
});

t.test('what no appender would have written is found although its chain is right', async (t) => {
  const stream = 'data-019aa2f0-5c00-4000-8000-000000000001-0123456789abcdef';
  const reference = { stream, count: 1, bytes: 600_000, sha256: 'ab'.repeat(32) };
  const cases: [Parameters<typeof forge>[2], RegExp | undefined][] = [
    [{}, undefined],
    [{ type: 'SurveyForgotten' }, /unknown type/],
    [{ type: 'SurveyCreated.v2' }, /unknown type/],
    [{ data: { name: 'secret' } }, /does not fit the catalogue/],
    [{ data: { staged: reference } }, /staged data/],
    [{ recordedAt: '2026-11-21T08:59:59.999Z' }, /earlier/],
  ];
  for (const [change, problem] of cases) {
    const on = await openRig(t);
    await append(on, 'survey-1', survey(1, 'First'));
    await forge(on.log, 'survey-1', change);
    const expected = problem
      ? { kind: 'broken', broken: exactly([{ stream: 'survey-1', revision: 1, problem }]) }
      : { kind: 'whole' };
    const verdict = await verifyLog(on.log);
    t.match(verdict, expected);
    t.notMatch(JSON.stringify(verdict), /secret/);
  }
});

const verify = (on: Rig, change: Partial<Rig> = {}): Promise<ReadModelsVerdict> =>
  verifyReadModels({ ...on, ...change, temporaryFolder: on.folder });

t.test('read models that follow from the log are the same', async (t) => {
  const on = await openRig(t);
  t.match(await verify(on), { kind: 'same', documents: 0 });
  await history(on);
  t.match(await verify(on), { kind: 'same', documents: 0 }, 'nothing is projected yet');
  await projectAll({ ...on, projections });
  t.match(await verify(on), { kind: 'same', documents: DOCUMENTS });
});

t.test('the first difference is named, without a personal value', async (t) => {
  const on = await openRig(t);
  await history(on);
  await projectAll({ ...on, projections });
  const cases: [string, DocumentKey, object | undefined, RegExp][] = [
    ['employee-blocks', [7, 0, 1], undefined, /^document 1 of employee-blocks \[7, 0, 1\] is missing$/],
    ['surveys', [7, 2], undefined, /^document 2 of surveys \[7, 2\] is missing$/],
    ['companies', [8], {}, /^document 2 of companies \[8\] should not be there$/],
    ['employee-sets', [7], { total: 3 }, /^document 1 of employee-sets \[7\] is another one in total, /],
  ];
  let revision = 1_000;
  const change = (collection: string, key: DocumentKey, value: Uint8Array | undefined) => {
    const place = { collection, key, revision: (revision += 1) };
    return on.readModels.write([[value ? { ...place, op: 'put', value } : { ...place, op: 'remove' }]]);
  };
  for (const [collection, key, wrong, expected] of cases) {
    const before = await on.readModels.get(collection, key);
    const copy = before && Uint8Array.from(before);
    await change(collection, key, wrong && Buffer.from(JSON.stringify(wrong)));
    const verdict = await verify(on);
    t.equal(verdict.kind, 'different');
    t.match(verdict.kind === 'different' ? describeDifference(verdict.difference) : '', expected);
    await change(collection, key, copy);
    t.equal((await verify(on)).kind, 'same');
  }
  const block = await on.readModels.get(blocksCollection, [7, 0, 1]);
  const rows = new Map([[3, recordOf({ Id: 3, Firstname: 'Secret' })]]);
  await change(blocksCollection, [7, 0, 1], evolveRows(block, rows));
  const verdict = await verify(on);
  const text = verdict.kind === 'different' ? describeDifference(verdict.difference) : '';
  t.match(text, /^document 1 of employee-blocks \[7, 0, 1\] is another one in Firstname, EmployeeID/);
  t.notMatch(text, /Secret/);
});

t.test('a running projector does not disturb the comparison', async (t) => {
  const on = await openRig(t);
  await history(on);
  await projectAll({ ...on, projections });
  await whileProjecting({ ...on, projections }, async () => {
    let done = false;
    const writing = (async () => {
      for (let n = 0; !done; n += 1) await append(on, 'survey-1', survey(1, `${n}`));
    })();
    for (let round = 0; round < 3; round += 1)
      t.match(await verify(on), { kind: 'same', documents: DOCUMENTS });
    done = true;
    await writing;
  });
});

t.test(
  'read models that nobody projects into, in the middle of an event, are not called wrong',
  async (t) => {
    const on = await openRig(t);
    await history(on);
    await projectAll({ ...on, projections });
    await append(on, 'survey-2', survey(2, 'Fourth'));
    const half = { collection: 'surveys', key: [7, 2], revision: 1_000, value: Buffer.from('{}') };
    await on.readModels.write([[{ ...half, op: 'put' }]]);
    const sleep = () => Promise.resolve();
    await t.rejects(verifyReadModels({ ...on, temporaryFolder: on.folder, sleep }), {
      name: 'ReadModelsUnavailable',
      message: /^a document of surveys cannot be compared while the read models stand behind the log/,
    });
  },
);

t.test('a broken stream, and read models that are ahead of the log, are told', async (t) => {
  const on = await openRig(t);
  await history(on);
  await projectAll({ ...on, projections });
  const broken = { stream: 'survey-1', revision: 1, problem: 'its shape' };
  await setAside(on.readModels, broken);
  t.strictSame(await verify(on), { kind: 'parked-stream', broken });
  const progress = await on.readModels.progress();
  await on.readModels.advance(progress, { position: 10_000n }, { unpark: 'survey-1' });
  t.strictSame(await verify(on), {
    kind: 'foreign',
    problem: ForeignReadModels.because('ahead').message,
  });
});

t.test('a rebuild beside a running projector gives the same, and mends what was broken', async (t) => {
  const on = await openRig(t);
  await history(on);
  const run = { ...on, projections };
  await projectAll(run);
  const value = Buffer.from('{}');
  await on.readModels.write([[{ op: 'put', collection: 'companies', key: [9], revision: 0, value }]]);
  await setAside(on.readModels, { stream: 'survey-2', revision: 0, problem: 'its shape' });
  await whileProjecting(
    { ...run, sleep: async () => new Promise((resolve) => setTimeout(resolve, 5)) },
    async () => {
      const writing = (async () => {
        let last = 0n;
        for (let n = 0; n < 30; n += 1) last = await append(on, 'survey-1', survey(1, `${n}`));
        return last;
      })();
      await rebuild(on.readModels, run);
      t.equal(await on.readModels.reachedPosition(await writing, 10_000), true);
    },
  );
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.match(await verify(on), { kind: 'same', documents: DOCUMENTS });
  t.notMatch(await contents(on.readModels), [/companies \[9\]/]);
});
