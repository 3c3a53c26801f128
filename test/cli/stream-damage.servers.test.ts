import { jsonEvent } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { entryOf } from '../servers/child-process.js';
import { objectOf, rollcallWithin, runScript } from './rollcall.js';
import { exactly } from '../support/exactly.js';

/** An installation on a server on which somebody has the same rights, with two companies of some events each. */
async function begin(t: Test) {
  const { server, client } = await startStandIn(t, { folder: t.testdir({ server: {} }) });
  const folder = t.testdir();
  const rollcall = rollcallWithin(folder, { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: server.url });
  for (const company of [1, 2])
    for (const name of ['One', 'Two', 'Three'])
      await rollcall(`company configure --company ${company} --name ${name}`);
  return { client, server, folder, rollcall };
}

type Rollcall = Awaited<ReturnType<typeof begin>>['rollcall'];

/** Verification and the list name it, and company 2 is there as before. */
async function isNamed(t: Test, rollcall: Rollcall, problem: RegExp): Promise<void> {
  t.match(await rollcall('audit verify'), { code: 1, out: '', err: problem }, 'audit verify');
  const { companies, broken } = objectOf(await rollcall('company list --json'));
  t.match(companies, exactly([{ companyId: 2 }]), 'the other company is listed');
  t.match(broken, exactly([{ stream: 'company-1', problem }]), 'and the broken one is named');
  t.match(await rollcall('company show --company 1'), { code: 1, err: problem });
  t.match(await rollcall('company configure --company 1 --name Four'), { code: 1, err: problem });
  t.match(await rollcall('company configure --company 2 --name Four'), { code: 0 });
}

for (const [what, metadata, problem] of [
  [
    '$maxCount',
    { maxCount: 1 },
    /events 0 to 1 of company-1 are gone: metadata of the stream says \$maxCount 1/,
  ],
  ['$tb', { truncateBefore: 2 }, /events 0 to 1 of company-1 are gone: metadata of the stream says \$tb 2/],
  ['$tb behind the end', { truncateBefore: 99 }, /all events of company-1 are gone: .* \$tb 99/],
] as const) {
  tap.test(`${what} on a company's stream`, async (t) => {
    const { client, rollcall } = await begin(t);
    t.match(await rollcall('audit verify'), { code: 0 });
    await client.setStreamMetadata('company-1', metadata);
    await isNamed(t, rollcall, new RegExp(`${problem.source}|company-1@0: metadata of the stream says \\$`));
  });
}

tap.test('a soft deletion: nothing is appended behind it', async (t) => {
  const { client, rollcall } = await begin(t);
  await client.deleteStream('company-1');
  await isNamed(t, rollcall, /the stream company-1 was deleted softly; set its metadata to \{\}, and again/);
  const { metadata } = await client.getStreamMetadata('company-1');
  t.equal(metadata?.truncateBefore, 9223372036854776000, 'still deleted');
});

tap.test('a tombstone', async (t) => {
  const { client, rollcall } = await begin(t);
  await client.tombstoneStream('company-1');
  t.match(await rollcall('audit verify'), {
    code: 1,
    err: /company-1@0: the stream company-1 was deleted for good/,
  });
  t.match(await rollcall('company show --company 1'), { code: 1, err: /company-1 was deleted for good/ });
  t.match(await rollcall('company list'), {
    code: 0,
    out: /2 +o[^]*company-1 is broken: .* for good; restore/,
  });
});

tap.test('every broken stream is named, and what hides nothing is a notice', async (t) => {
  const { client, rollcall } = await begin(t);
  await client.setStreamMetadata('company-2', { maxCount: 1000 });
  const limited = /Notice: company-2: metadata of the stream says \$maxCount 1000, which hides nothing yet/;
  t.match(await rollcall('audit verify'), { code: 0, out: limited });
  await client.setStreamMetadata('company-1', { maxCount: 1 });
  await client.deleteStream('installation');
  const { code, err } = await rollcall('audit verify');
  t.equal(code, 1);
  for (const named of [/broken at company-1@0: events 0 to 1/, /broken at installation@0: .*softly/, limited])
    t.match(err, named);
});

tap.test('a process on a log without its installation says so in one line', async (t) => {
  const { client, server, folder } = await begin(t);
  await client.tombstoneStream('installation');
  const env = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: server.url };
  t.match(await runScript(entryOf('projector'), [], { DATA_DIR: folder, ...env }), {
    code: 1,
    err: 'the stream installation was deleted for good; restore the log from a backup\n',
  });
});

tap.test('a foreign event', async (t) => {
  const { client, rollcall } = await begin(t);
  await client.appendToStream('company-1', jsonEvent({ type: '$note', data: {} }));
  await isNamed(t, rollcall, /event 3 of company-1 has the foreign type \$note|revision 3 of company-1/);
});
