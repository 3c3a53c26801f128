import tap from 'tap';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { tlsFile, tlsOf } from '../servers/tls-files.js';
import { begun, examined, redOf } from './doctor.support.js';
import { rollcallWithin } from './rollcall.js';

tap.test(
  'a user who may not do what the processes do is seen, and nothing is written to see it',
  async (t) => {
    const users = ['--admin', 'admin:change it', '--user', 'rollcall:secret'];
    const folder = t.testdir({ server: {}, data: {} });
    const server = await EventStoreDbServer.start({
      folder: `${folder}/server`,
      args: [...users, ...tlsOf('issued')],
    });
    t.teardown(() => server.stop());
    const as = (user: string) => {
      const query = `tls=true&tlsCAFile=${encodeURIComponent(tlsFile('issued-ca.crt'))}`;
      const url = `esdb://${user}127.0.0.1:${server.port}?${query}`;
      return rollcallWithin(`${folder}/data`, { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: url });
    };
    const admin = as('admin:change%20it@');
    await begun(admin);
    const before = (await admin('audit verify')).out;
    t.match(before, /The log is whole: \d+ events/);
    t.strictSame(redOf((await examined(admin)).lines), []);
    t.equal((await admin('audit verify')).out, before, 'what was tried has left nothing');

    for (const user of ['admin:wrong@', 'nobody:secret@', 'rollcall:secret@', '']) {
      const { code, lines, out } = await examined(as(user));
      t.equal(code, 1, user);
      t.strictSame(redOf(lines), ['event log'], out);
      t.match(lines.find(({ ok }) => !ok)?.advice, /EVENTSTOREDB_URL: its address, user and certificates/);
      t.notMatch(out, /secret@|wrong@/, 'no password is shown');
    }
  },
);
