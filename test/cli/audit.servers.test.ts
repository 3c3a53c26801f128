import { openEventStoreDbEventLog } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import tap from 'tap';
import { appendHistory } from '../application/audit.support.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { objectOf, rollcallWithin } from './rollcall.js';
import { exactly } from '../support/exactly.js';

tap.test('questions about the past are answered from EventStoreDB too', async (t) => {
  const folder = t.testdir({ server: {}, data: {} });
  const server = await EventStoreDbServer.start({ folder: `${folder}/server` });
  t.teardown(() => server.stop());
  const connectionString = `esdb://127.0.0.1:${server.port}?tls=false`;
  const log = await openEventStoreDbEventLog({ connectionString });
  t.teardown(() => log.close());
  const nobody = { added: [], changed: [], left: [], minutes: 1 };
  const plans = [
    { ...nobody, added: ['Jo', 'Al', 'Bo'] },
    { ...nobody, changed: [0], left: [2] },
  ];
  await appendHistory({ log, clock: { at: systemClock.now(), now: () => systemClock.now() } }, plans);
  const env = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: connectionString };
  const rollcall = rollcallWithin(`${folder}/data`, env);
  const rows = async (words: string): Promise<unknown> =>
    objectOf(await rollcall(`audit ${words} --company 7 --json`))['rows'];
  const employee = { part: 'employees', personal: '***' };
  t.match(await rows('state --part employees --revision 1'), exactly([employee, employee, employee]));
  t.match(
    await rows('state --part employees'),
    exactly([
      { ...employee, id: '1', revision: 2 },
      { ...employee, id: '2', revision: 1 },
    ]),
  );
  t.match(
    await rows('diff --from 1 --to 2'),
    exactly([
      { id: '1', change: 'changed' },
      { id: '3', change: 'removed' },
    ]),
  );
  t.match(await rows('history --employee E"3'), exactly([{ what: 'added' }, { what: 'left' }]));
  const { events } = objectOf(await rollcall('audit log --type EmployeeSetReplaced --json'));
  t.match(events, exactly([{ revision: 1 }, { revision: 2 }]));
  const shown = ['audit', 'state', '--company', '7', '--json', '--reveal', '--reason', 'case 12'];
  t.match((await rollcall(shown)).out, /"Firstname":"Al"/);
  t.match(objectOf(await rollcall('audit log --type PersonalDataRead --json')), {
    events: exactly([{ reason: 'case 12' }]),
  });
});
