import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap from 'tap';
import { objectOf, rollcallWithin } from '../cli/rollcall.js';
import { skipWithout } from '../servers/skip-without.js';
import { exactly } from '../support/exactly.js';
import { claimsOf, eventsIn, killWhenThere, start, tokenIn, whileRunning } from './start.js';
import { scale } from '../support/scale.js';

const run = promisify(execFile);
const demo = [
  'InstallationCreated installation@0',
  'CatalogueExtended installation@1',
  'CompanyConfigured.v2 company-1@0',
  'ApiUserCreated.v2 api-users@0',
  'ApiTokenIssued apitokens-1@0',
];

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const curlIn = (out: string): string => /^curl .*$/m.exec(out)?.[0] ?? '';
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

const employees = (address: string, token: string): Promise<Response> =>
  fetch(`${address}/v1.0/Company/1/Employee`, { headers: { authorization: `Bearer ${token}` } });

tap.test('the first run in an empty folder', async (t) => {
  const dataDir = join(t.testdir(), "a 'quoted' folder", 'data');
  const out = await whileRunning(dataDir, async (address) => {
    t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { authorization: `Bearer ${tokenIn(dataDir)}` };
    const languages = await fetch(`${address}/v1.0/Company/1/Language/Enabled`, { headers });
    t.same(await languages.json(), [
      { id: 1045, label: 'English', code: 'en' },
      { id: 1041, label: 'Danish', code: 'da' },
    ]);
  });

  t.match(out, 'Company  1 "Demo"');
  t.match(out, join(dataDir, 'demo-token'));
  t.match(curlIn(out), /^curl -X PUT 'http/);
  t.notOk(out.includes(tokenIn(dataDir)), 'the token itself is not shown');

  t.same(await eventsIn(dataDir), demo);
  const claims = claimsOf(tokenIn(dataDir));
  const { events } = objectOf(await rollcallWithin(dataDir)('audit log --company 1 --json'));
  const times = (events as readonly { readonly recordedAt: string }[]).map(({ recordedAt }) => recordedAt);
  t.strictSame(times, times.toSorted(), 'the token is issued after its user');
  t.match(claims, {
    sub: '1',
    company: 1,
    roles: exactly(['HRIntegration']),
    iss: 'rollcall',
    aud: 'rollcall',
  });
  for (const file of ['demo-token', 'keys/private.pem', 'keys/digest.key']) {
    t.equal(modeOf(join(dataDir, file)), '600', file);
  }
  t.equal(modeOf(dataDir), '700');
  t.same(readdirSync(dataDir).sort(), ['demo-token', 'event-log', 'keys', 'queue', 'read-models']);
});

tap.test('a start sweeps what a killed process left of a body, or a killed move of its export', async (t) => {
  const left = '.spool-0190b5a0-7c3a-4d11-9f00-0123456789ab';
  const events = { 'events-000001.ndjson': '{}' };
  const dataDir = t.testdir({ [left]: '[{"EmployeeID": "A-1"', '.spool-move': events, '.others': '' });
  await whileRunning(dataDir);
  t.same(
    readdirSync(dataDir).filter((name) => name.startsWith('.spool-')),
    [],
  );
  t.ok(readdirSync(dataDir).includes('.others'), 'and nothing else');
});

tap.test(
  'the line to paste works in sh',
  { skip: skipWithout(!hasCurl && 'there is no curl') },
  async (t) => {
    const dataDir = join(t.testdir(), "a 'quoted' folder");
    const running = start(dataDir);
    t.teardown(() => running.child.signal('SIGKILL'));
    const address = await running.address;
    const { stdout } = await run('sh', ['-c', curlIn(running.child.out)]);
    t.match(JSON.parse(stdout), { DryRun: true, Inserted: 1, BatchLimit: { Limit: 25 } });
    running.child.signal('SIGINT');
    t.equal(await running.ended, 0, 'Ctrl-C ends it gracefully');
    await t.rejects(fetch(address), 'nobody listens any more');

    const again = await whileRunning(dataDir, async (there) => {
      t.strictSame(await (await employees(there, tokenIn(dataDir))).json(), [], 'it only asked');
    });
    t.match(curlIn(again), /^curl -X PUT 'http.*\?dryRun=true'/, 'the next start shows it too');
  },
);

tap.test('whoever reads its address finds it ready', async (t) => {
  const dataDir = t.testdir();
  for (let n = 0; n < 3; n++)
    await whileRunning(dataDir, async (address) => {
      const answer = await fetch(`${address}/health/ready`);
      const { Commit, ...health } = Object(await answer.json()) as { readonly Commit: string | null };
      t.same([answer.status, health], [200, { Status: 'ok', Problems: [], Version: '0.1.0' }]);
      const info = `commit="${Commit ?? ''}",node="${process.versions.node}"} 1`;
      t.match(
        await (await fetch(`${address}/metrics`)).text(),
        `rollcall_build_info{version="0.1.0",${info}`,
      );
    });
});

tap.test('a second start changes nothing', async (t) => {
  const dataDir = t.testdir();
  await whileRunning(dataDir);
  const files = ['demo-token', 'keys/private.pem', 'keys/digest.key'];
  const contents = (): string[] => files.map((file) => readFileSync(join(dataDir, file), 'latin1'));
  const before = contents();
  await whileRunning(dataDir);
  t.same(contents(), before);
  t.same(await eventsIn(dataDir), demo);

  rmSync(join(dataDir, 'demo-token'));
  const out = await whileRunning(dataDir);
  t.notOk(readdirSync(dataDir).includes('demo-token'), 'what was thrown away stays away');
  t.equal(curlIn(out), '', 'and is not shown');
  t.same(await eventsIn(dataDir), demo);
});

tap.test('killed in the middle of the first run', async (t) => {
  const moments = [
    'first-run.json',
    'keys/digest.key',
    'event-log/data.mdb',
    'keys/private.pem',
    'demo-token',
  ];
  const rounds = Math.max(1, Math.round(4 * scale));
  for (const moment of Array.from({ length: rounds }, () => moments).flat()) {
    t.test(`once ${moment} is there`, async (t) => {
      const dataDir = t.testdir();
      await killWhenThere(dataDir, moment);
      await whileRunning(dataDir, async (address) => {
        t.equal((await employees(address, tokenIn(dataDir))).status, 200, 'the token is good');
      });
      t.same(await eventsIn(dataDir), demo, 'everything happened once');
      t.same(readdirSync(join(dataDir, 'keys', 'public')).length, 1, 'there is one key');
      t.same(readdirSync(dataDir).sort(), ['demo-token', 'event-log', 'keys', 'queue', 'read-models']);
    });
  }
});

tap.test('two at once on an empty folder agree', async (t) => {
  const dataDir = t.testdir();
  const both = [start(dataDir), start(dataDir)];
  t.teardown(() => both.map(({ child }) => child.signal('SIGKILL')));
  for (const { address } of both) {
    t.equal((await employees(await address, tokenIn(dataDir))).status, 200);
  }
  for (const { child } of both) child.signal('SIGTERM');
  t.same(await Promise.all(both.map(({ ended }) => ended)), [0, 0]);
  t.same(await eventsIn(dataDir), demo);
});
