import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdapters, openEventStoreDbEventLog } from '@rollcall/adapters';
import { EventSum, readLog, type EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { markOf, objectOf, rollcallWithin } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const page = new URL('../../../docs/production.md', import.meta.url);

/** The commands that the page has under the heading. */
function drill(): readonly string[] {
  const section =
    readFileSync(page, 'utf8')
      .split('\n## ')
      .find((one) => one.startsWith('Moving the log')) ?? '';
  return (/```sh\n(?<lines>[^`]+)```/.exec(section)?.groups?.['lines'] ?? '').trim().split('\n');
}

async function sumOf(log: EventLog): Promise<string> {
  const sum = new EventSum();
  await readLog(log, await log.lastPosition(), (event) => sum.add(event));
  await log.close();
  return sum.text;
}

async function begin(t: Test) {
  const { server } = await startStandIn(t, { folder: t.testdir({ server: {}, data: {} }) });
  const dataDir = join(t.testdirName, 'data');
  const env: Record<string, string> = { EVENTSTOREDB_URL: server.url };
  const rollcall = rollcallWithin(dataDir, { ...env });
  for (const company of [7, 8]) await rollcall(`company configure --company ${company} --name Acme`);
  await rollcall('user add --company 7 --name HR --role HRIntegration');
  const embedded = async (): Promise<string> => {
    const adapters = await openAdapters(embeddedAdapters(dataDir));
    const sum = await sumOf(adapters.log);
    await adapters.close();
    return sum;
  };
  const onServer = async (): Promise<string> =>
    sumOf(await openEventStoreDbEventLog({ connectionString: server.url }));
  return { dataDir, env, rollcall, embedded, onServer };
}

tap.test("the page's drill moves an installation to EventStoreDB, and back", async (t) => {
  const { dataDir, env, rollcall, embedded, onServer } = await begin(t);
  const before = await embedded();
  const told = {
    companies: objectOf(await rollcall('company list --json')),
    users: await rollcall('user list --company 7'),
  };
  const places: readonly (readonly [string, string])[] = [
    ['$DATA_DIR', dataDir],
    ['/backup', join(t.testdirName, 'backup')],
  ];
  for (const line of drill()) {
    const text = places.reduce((whole, [from, to]) => whole.replaceAll(from, to), line);
    const [verb = '', ...words] = (text.split(' #')[0] ?? '').split(' ');
    if (verb === 'mv') renameSync(words[0] ?? '', words[1] ?? '');
    else if (verb === 'export') Object.assign(env, Object.fromEntries([words.join(' ').split('=')]));
    else t.match(await rollcallWithin(dataDir, { ...env })(words.slice(1)), { code: 0 }, line);
  }
  t.equal(await onServer(), before, 'the same events');
  const on = rollcallWithin(dataDir, { ...env, EVENT_LOG: 'eventstoredb' });
  t.same(objectOf(await on('company list --json')), told.companies);
  t.same(await on('user list --company 7'), told.users);

  t.equal((await on('company configure --company 9')).code, 0, 'it goes on');
  const back = await rollcall('move --from eventstoredb --to embedded --json');
  t.match(objectOf(back), { from: 'eventstoredb', to: 'embedded', events: 6 });
  t.equal(await embedded(), await onServer(), 'and back');
  const status = await rollcall('projections status');
  t.match(status, { code: 1 }, 'read models of the other positions are not followed');
  t.equal((await rollcall('projections rebuild')).code, 0);
  t.equal((await rollcall('audit verify')).code, 0);
});

tap.test('a target that holds something, and a source that is none', async (t) => {
  const { dataDir, rollcall, embedded, onServer } = await begin(t);
  const mark = join(dataDir, markOf(process.ppid));
  writeFileSync(mark, '');
  t.match(await rollcall('move --from embedded --to eventstoredb'), {
    code: 1,
    err: /^Other processes use /,
  });
  rmSync(mark);
  mkdirSync(join(dataDir, '.spool-move'));
  writeFileSync(join(dataDir, '.spool-move', 'events-000001.ndjson'), 'what a killed move has left');
  t.match(await rollcall('move --from eventstoredb --to embedded'), { code: 1, err: /nothing to export/ });
  t.match(await rollcall('move --from embedded --to embedded'), { code: 2 });
  for (const what of ['a move', 'its repeat'])
    t.match(await rollcall('move --from embedded --to eventstoredb'), { code: 0, err: '' }, what);
  t.equal(await onServer(), await embedded());
  t.equal((await rollcall('company configure --company 9')).code, 0);
  t.match(await rollcall('move --from embedded --to eventstoredb'), { code: 1, err: /is not empty/ });
  t.same(readdirSync(dataDir).sort(), ['event-log', 'keys', 'queue', 'read-models'], 'no export is left');
});
