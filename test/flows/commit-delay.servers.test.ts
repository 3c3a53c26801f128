import { EventStoreDBClient } from '@eventstore/db-client';
import tap from 'tap';
import { startChildServer } from '../servers/child-server.js';
import { collect, failing, UNARY } from '../servers/eventstoredb-stand-in.support.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

tap.setTimeout(300_000);

/** Each append is answered as one whose outcome is not known, and its first repeats are dropped: they come before it is indexed. */
const SLOW = ['--commit-delay-ms', '500', '--commit-timeout-ms', '100'];

const { eventLog, dataDir, env, tokens } = await standInInstallation({ args: SLOW });
const client = EventStoreDBClient.connectionString(eventLog.url);
const service = await startChildServer({ dataDir, env });
tap.teardown(async () => {
  await service.kill();
  await client.dispose();
});

async function put(people: number, headers: Readonly<Record<string, string>> = {}) {
  const answer = await putEmployees(service.url, tokens[0], people, { headers });
  const { Inserted } = JSON.parse(answer.text) as { Inserted?: number };
  return { status: answer.status, Inserted, isReplayed: answer.headers.has('idempotent-replayed') };
}

/** The types of the company's events behind those of its settings. */
async function written(): Promise<(string | undefined)[]> {
  const events = await collect(client.readStream('company-7'));
  return events.map(({ event }) => event?.type).filter((type) => type !== 'CompanyConfigured.v2');
}

tap.test('the server answers as it is told', async (t) => {
  const event = {
    id: '0190b5a0-7c3a-7d11-9f00-0123456789ab',
    type: 'X',
    contentType: 'application/json',
    data: {},
  } as const;
  const append = () =>
    client.appendToStream('foreign', [{ ...event, metadata: {} }], {
      ...UNARY,
      expectedRevision: 'no_stream',
    });
  const both = await Promise.all([failing(append()), failing(append())]);
  for (const { message } of both) t.match(message, /Commit phase timeout/);
});

tap.test('an import during a commit delay is answered once, and stands once', async (t) => {
  t.strictSame(await put(3), { status: 200, Inserted: 3, isReplayed: false });
  t.strictSame(await put(5, { 'idempotency-key': 'five' }), { status: 200, Inserted: 2, isReplayed: false });
  t.strictSame(await put(5, { 'idempotency-key': 'five' }), { status: 200, Inserted: 2, isReplayed: true });
  t.same(
    await written(),
    Array.from({ length: 2 }, () => 'EmployeeSetReplaced.v2'),
  );
  t.match(await put(6, { prefer: 'respond-async' }), { status: 202 });
  await until('the queued import has ended', async () => (await written()).length === 4);
  t.same((await written()).slice(2), ['ImportQueued.v2', 'EmployeeSetReplaced.v2']);
  t.strictSame(await put(7), { status: 200, Inserted: 1, isReplayed: false });
  t.equal((await written()).length, 5);
});
