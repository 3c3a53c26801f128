import { EventStoreDBClient } from '@eventstore/db-client';
import tap from 'tap';
import { rollcallOn } from '../cli/rollcall.js';
import { startChildParts } from '../servers/child-parts.js';
import { scavenge } from '../servers/eventstoredb-stand-in.support.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

tap.setTimeout(300_000);

const { eventLog, dataDir, env, tokens } = await standInInstallation({ companyIds: [1, 2, 3] });
const client = EventStoreDBClient.connectionString(eventLog.url);
tap.teardown(() => client.dispose());
const parts = await startChildParts({ dataDir, env, workers: 0 });
tap.teardown(() => parts.kill());
const url = parts.apis[0]?.url ?? '';

const put = (companyId: number, people: number) =>
  putEmployees(url, tokens[companyId - 1], people, { companyId });

async function get(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${tokens[2]}` };
  return (await fetch(`${url}${path}`, { headers })).text();
}

const peopleOf = async (): Promise<number> => {
  const people: unknown = JSON.parse(await get('/v1.0/Company/3/Employee'));
  return Array.isArray(people) ? people.length : -1;
};

tap.test('a rebuild of a log in which others have truncated two companies', async (t) => {
  for (const companyId of [1, 2, 3])
    for (const people of [3, 4]) t.match(await put(companyId, people), { status: 200 });
  await client.setStreamMetadata('company-1', { truncateBefore: 2 });
  await client.setStreamMetadata('company-2', { maxCount: 1 });
  await scavenge({ server: eventLog, client, of: (name) => name });
  const rebuilt = await rollcallOn(dataDir, env)('projections rebuild');
  t.equal(rebuilt.code, 1);
  t.match(rebuilt.out, /The read models are built anew: generation-2 is live. Events read here: \d+/);
  for (const companyId of [1, 2])
    t.match(rebuilt.err, new RegExp(`company-${companyId} has stopped at revision \\d+: .*missing`));
  t.notMatch(rebuilt.err, /company-3/);
  await until('health names both', async () =>
    /projections have stopped: company-1 at revision \d+, company-2 at revision \d+/.test(
      await get('/health/ready'),
    ),
  );
  t.match(await get('/health/ready'), /"Status":"degraded"/);
  t.match(await put(3, 9), { status: 200 });
  await until('the new read models go on', async () => (await peopleOf()) === 9);
});
