import {
  apiUsersStream,
  configureCompany,
  readApiUsers,
  revokeApiUser,
  addApiUser,
  ReadModelsUnavailable,
} from '@rollcall/application';
import { companyStateVersion } from '@rollcall/domain';
import t from 'tap';
import { addUsers } from '../support/add-users.js';
import { openRig, type Rig } from '../support/rig.js';
import { companyId, testContext } from '../support/test-store.js';
import { withMembers } from '../support/with-members.js';

const roles = ['HRIntegration'] as const;

/** How many events of `api-users` are read meanwhile. */
function counting(on: Rig) {
  const seen = { events: 0 };
  const log = withMembers(on.log, {
    readStream: async function* (stream, options) {
      for await (const event of on.log.readStream(stream, options)) {
        if (stream === apiUsersStream) seen.events += 1;
        yield event;
      }
    },
  });
  return { seen, deps: { ...on, log } };
}

const snapshotOf = (on: Rig) => on.snapshots.newest(apiUsersStream, companyStateVersion);

t.test('adding one reads what came behind the snapshot', async (t) => {
  const on = await openRig(t);
  await configureCompany(on, testContext(companyId), { companyId, changes: { name: 'A company' } });
  await addUsers(on, 1, 999);
  await readApiUsers(on);
  t.equal(await snapshotOf(on), undefined, 'a short stream has none');
  await addUsers(on, 1_000, 100);
  const first = counting(on);
  t.equal((await readApiUsers(first.deps)).users.get(1_099)?.name, 'User 1099');
  t.equal(first.seen.events, 1_099);
  t.match(await snapshotOf(on), { revision: 1_098 });
  await revokeApiUser(on, testContext(companyId), 7);
  const { seen, deps } = counting(on);
  const added = await addApiUser(deps, testContext(companyId), { companyId, name: 'One more', roles });
  t.match(added, { kind: 'added', user: { userId: 1_100 } });
  t.ok(seen.events <= 3, `${seen.events} events were read`);
  const { users, revokedUsers } = await readApiUsers(on);
  t.same([users.get(7)?.status, users.get(8)?.status, revokedUsers.has(7)], ['revoked', 'active', true]);
  t.strictSame([...users.keys()], [...(await readApiUsers({ log: on.log })).users.keys()]);
});

t.test('the snapshot of another log is of no use', async (t) => {
  const [on, other] = [await openRig(t), await openRig(t)];
  for (const each of [on, other]) await addUsers(each, 1, 1_001);
  await revokeApiUser(on, testContext(companyId), 1);
  await readApiUsers(on);
  await revokeApiUser(other, testContext(companyId), 2);
  const { revokedUsers } = await readApiUsers({ log: other.log, snapshots: on.snapshots });
  t.strictSame([...revokedUsers.keys()], [2]);
});

t.test('a damaged one, and a store that is away, cost time only', async (t) => {
  const on = await openRig(t);
  await addUsers(on, 1, 1_001);
  const newest = () => Promise.resolve('unusable' as const);
  t.equal(
    (
      await readApiUsers({ log: on.log, snapshots: { newest, put: on.snapshots.put.bind(on.snapshots) } })
    ).users.has(1_001),
    true,
  );
});

t.test('a snapshot that is not written is logged', async (t) => {
  const on = await openRig(t);
  await addUsers(on, 1, 1_001);
  const warn = t.captureFn(() => undefined);
  const put = () => Promise.reject(new ReadModelsUnavailable('MongoDB is away'));
  await readApiUsers({ ...on, snapshots: withMembers(on.snapshots, { put }), logger: { warn } });
  const details = { stream: apiUsersStream, problem: 'MongoDB is away' };
  t.strictSame(warn.args(), [[details, 'no state snapshot was written']]);
});
