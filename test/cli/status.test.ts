import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { freePort } from '../servers/free-port.js';
import { people } from '../application/imports.support.js';
import { installation } from './imports.support.js';
import { objectOf, rollcallWithin } from './rollcall.js';

/** A process that says this of its health. */
async function processSaying(t: Test, body: string): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/health/ready' ? 200 : 404;
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const health = (Status: string, Problems: readonly string[]): string =>
  JSON.stringify({ Status, Problems, Version: '0.1.0' });

tap.test('one screen: processes, lag, queue, and what needs a person', async (t) => {
  const on = await installation(t);
  const well = await processSaying(t, health('ok', []));
  const ill = await processSaying(
    t,
    health('degraded', ['projections have stopped: company-7 at revision 3']),
  );
  const other = await processSaying(t, '<html>');
  // Where nobody listens.
  const env = { PORT: String(await freePort()) };
  const rollcall = rollcallWithin(on.dataDir, env);

  const quiet = await rollcall(`status --at ${well}`);
  t.match(quiet, { code: 0, err: '' });
  t.strictSame(quiet.out.split('\n'), [
    `processes     http://127.0.0.1:${env.PORT}  no answer  ECONNREFUSED`,
    `              ${well}  ok  0.1.0`,
    'lag           none',
    'queue         no import waits',
    'needs you     nothing',
    '',
  ]);

  await on.queue(people(3));
  await on.rollcall('company configure --company 8');
  await on.rollcall('invitations hold --company 7');
  const late = rollcallWithin(on.dataDir, env, { clock: { now: () => systemClock.now() + 1_200_000 } });
  const { out } = await late(['status', '--at', ill, other]);
  t.match(
    out,
    new RegExp(`^ +${ill}  degraded  0.1.0  projections have stopped: company-7 at revision 3$`, 'm'),
  );
  t.match(out, new RegExp(`^ +${other}  no answer  it is no process of Rollcall$`, 'm'));
  t.match(out, /^lag +2 events$/m);
  t.match(out, /^queue +1 import, the oldest for 20 min$/m);
  t.match(out, new RegExp(`^needs you +${ill}: degraded: projections have stopped`, 'm'));
  t.match(out, new RegExp(`^ +${other}: no answer: it is no process of Rollcall\\.$`, 'm'));
  t.match(out, /^ +An import has waited for 20 min: see rollcall imports list --state pending\.$/m);

  await on.project();
  t.match((await rollcall('status')).out, /^queue .*; invitations held by company 7$/m);
  t.match(objectOf(await rollcall(`status --at ${well} --json`)), {
    processes: [{ status: 'no answer' }, { address: well, status: 'ok', version: '0.1.0' }],
    lagEvents: 0,
    work: { imports: 1, held: [7] },
    needsPerson: [],
  });
});
