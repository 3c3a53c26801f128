import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { partProblems } from '@rollcall/host';
import { systemClock, type Clock } from '@rollcall/application';
import { projections } from '@rollcall/projector';
import tap from 'tap';
import { rollcallOn } from '../cli/rollcall.js';
import { openLogOn, serverFor, untilThere } from '../conformance/event-log.eventstoredb.support.js';
import { read, caller } from '../faults/caller.js';
import { generatedEmployees } from '../generators/employees.js';
import { append, openRig, survey, whileProjecting } from '../projector/projector.support.js';
import { startChildServer } from '../servers/child-server.js';
import { until } from '../support/until.js';
import { exactly } from '../support/exactly.js';

const aCluster = ['--nodes', '3'];

tap.test('npm start and a command, by the line of one node that follows', async (t) => {
  const cluster = await serverFor(t, aCluster);
  const dataDir = join(t.testdir(), 'data');
  const url = `esdb://127.0.0.1:${cluster.ports[1]}?tls=false&nodePreference=follower`;
  const env = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: url };
  const server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  const call = caller(server.url, (await readFile(join(dataDir, 'demo-token'), 'utf8')).trim());
  const path = '/v1.0/Company/1/Employee';
  for (const [n, count] of [3, 5].entries()) {
    const employees = generatedEmployees(count);
    t.match(await call('PUT', path, employees), { status: 200 });
    await until('all are read', async () => (await read<[]>(call, path)).length === employees.length);
    const listed = await rollcallOn(dataDir, env)('company list');
    t.match(listed, { code: 0, out: /Demo/, err: '' }, 'a command');
    await cluster.order('lead', (n + 2) % 3, 0);
  }
  t.equal(await server.stop(), 0);
});

const secondsOn = (seconds: number): Clock => ({ now: () => systemClock.now() + seconds * 1_000 });

tap.test('readiness tells of read models that hear nothing from a leader that is cut off', async (t) => {
  const cluster = await serverFor(t, [...aCluster, '--commit-timeout-ms', '200']);
  const { readModels } = await openRig(t);
  const settings = { streamPrefix: `${randomUUID()}-`, timeoutMs: 5_000 };
  const connectionString = `esdb://127.0.0.1:${cluster.port}?tls=false`;
  // It never asks who leads.
  const deaf = await openLogOn(t, cluster, { ...settings, connectionString, silenceMs: 3_600_000 });
  const log = await openLogOn(t, { port: cluster.ports[1] ?? 0 }, settings);
  const write = (name: string): Promise<bigint> =>
    untilThere(() => append({ log, clock: systemClock }, 'survey-1', survey(1, name)));
  const problemsIn = (seconds: number) => partProblems({ log, readModels, clock: secondsOn(seconds) });

  await whileProjecting({ log: deaf, readModels, projections }, async () => {
    const before = await write('before');
    await until('it is projected', () => readModels.reachedPosition(before, 1_000));
    t.same(await problemsIn(95), []);
    await cluster.order('cut', 0, 0);
    const end = await write('while it is cut off');
    t.same(await problemsIn(0), [], 'what was recorded just now is on its way');
    const behind = `s behind the event log: they are at position ${before} of ${end}$`;
    t.match(await problemsIn(95), exactly([{ problem: new RegExp(behind), isOutage: false }]));
    await cluster.order('join', 0);
    await until('it is projected', () => readModels.reachedPosition(end, 1_000));
    t.same(await problemsIn(95), []);
  });
});
