import { openEmbeddedEventLog, openEmbeddedReadModels } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';
import t, { type Test } from 'tap';
import { hideNewestCommit, openAgainAndAgain } from '../support/hidden-commit.js';
import { Program } from '../support/program.js';
import { scale } from '../support/scale.js';
import { collect, newEvent, put } from './event-log.support.js';
import { testCollections } from './read-models.adapters.js';
import { advance, put as document, read, write } from './read-models.support.js';

async function logWithThree(t: Test) {
  const folder = t.testdir();
  const log = await openEmbeddedEventLog({ folder });
  t.teardown(() => log.close());
  for (const expected of ['no-stream', 0, 1] as const) await put(log, 'company-7', expected, [newEvent()]);
  return { folder, log };
}

const revisions = async (log: EventLog, from?: number): Promise<readonly number[]> => {
  const events = log.readStream('company-7', from === undefined ? {} : { from, seen: true });
  return (await collect(events)).map(({ revision }) => revision);
};

t.test('an append never takes the place of a commit that another process has hidden', async (t) => {
  const { folder, log } = await logWithThree(t);
  await hideNewestCommit(folder);
  t.strictSame(await revisions(log), [0, 1], 'it is hidden');
  const late = await log.append('company-7', 1, [newEvent()]);
  t.match(late, { outcome: 'wrong-revision', actual: 2 });
  await hideNewestCommit(folder);
  await Promise.all([
    put(log, 'company-7', 2, [newEvent()]),
    put(log, 'survey-1', 'no-stream', [newEvent()]),
    put(log, 'survey-2', 'no-stream', [newEvent()]),
  ]);
  t.strictSame(await revisions(log), [0, 1, 2, 3]);
});

t.test('an event that was read before is read again', async (t) => {
  const { folder, log } = await logWithThree(t);
  await hideNewestCommit(folder);
  t.strictSame(await revisions(log, 2), [2]);
});

t.test('the last position does not go back', async (t) => {
  const { folder, log } = await logWithThree(t);
  const before = await log.lastPosition();
  await hideNewestCommit(folder);
  t.equal(await log.lastPosition(), before);
});

t.test('the next process that opens the log shows it to all', async (t) => {
  const { folder, log } = await logWithThree(t);
  await hideNewestCommit(folder);
  const other = new Program([
    '--input-type=module',
    '-e',
    OPEN,
    import.meta.resolve('@rollcall/adapters'),
    folder,
  ]);
  t.match(await other.ended, { code: 0, out: '3\n' });
  t.strictSame(await revisions(log), [0, 1, 2]);
});

const OPEN = `
  const { openEmbeddedEventLog } = await import(process.argv[1]);
  const log = await openEmbeddedEventLog({ folder: process.argv[2] });
  let count = 0;
  for await (const event of log.readStream('company-7')) count += 1;
  console.log(count);
  await log.close();`;

t.test('a document is not lost either', async (t) => {
  const folder = t.testdir();
  const store = await openEmbeddedReadModels({ folder, collections: testCollections, projections: 'new' });
  t.teardown(() => store.close());
  const next = await store.newGeneration();
  await write(next, document([1], { n: 'first' }));
  await hideNewestCommit(folder);
  await write(next, document([2], { n: 'second' }));
  await advance(next);
  await next.switchTo();
  t.strictSame([await read(store, [1]), await read(store, [2])], [{ n: 'first' }, { n: 'second' }]);
});

t.test('processes that open and close the log beside a writer cost it nothing', async (t) => {
  const folder = t.testdir();
  const log = await openEmbeddedEventLog({ folder, sync: false });
  t.teardown(() => log.close());
  await put(log, 'company-7', 'no-stream', [newEvent()]);
  const others = [1, 2, 3].map(() => openAgainAndAgain(folder));
  const count = Math.max(2_000, 20_000 * scale);
  for (let head = 0; head < count; head++) {
    const { outcome } = await log.append('company-7', head, [newEvent()]);
    if (outcome !== 'appended') t.fail(`the append behind revision ${head} found that ${outcome}`);
    if ((await revisions(log, head + 1)).length !== 1) t.fail(`revision ${head + 1} is not there`);
  }
  for (const other of others) await other.kill();
  t.equal((await revisions(log)).length, count + 1);
});
