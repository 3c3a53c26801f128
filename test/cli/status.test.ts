import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decideAndAppend, type ReadModelReader, systemClock } from '@rollcall/application';
import type { DomainEvent } from '@rollcall/contracts';
import tap, { type Test } from 'tap';
import { saveOpenInvitations } from '../support/open-invitations.js';
import { freePort } from '../servers/free-port.js';
import { callContext } from '../application/decide-and-append.support.js';
import { forge } from '../projector/tampered.support.js';
import { people } from '../application/imports.support.js';
import { exactly } from '../support/exactly.js';
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
  JSON.stringify({ Status, Problems, Version: '0.1.0', Commit: '8f3c2d1a9b04' });

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
    `processes     ${well}  ok  0.1.0 (8f3c2d1a9b04)`,
    'lag           none',
    'queue         no import waits',
    'proof         the whole log was not proved yet',
    'needs you     nothing',
    '',
  ]);

  t.match(await rollcall('audit verify'), { code: 0 });
  t.match(await rollcall(`status --at ${well}`), { code: 0, out: /^proof +the whole log, \d+ s ago$/m });
  const unset = await rollcallWithin(on.dataDir, { ...env, HOST: '', METRICS_PORT: '' })('status');
  t.match(unset, { code: 1, out: new RegExp(`http://127.0.0.1:${env.PORT} +no answer`) }, 'empty: not set');
  const blank = await rollcallWithin(on.dataDir, { HOST: ' ', PORT: '\t', METRICS_PORT: ' ' })(
    'status --json',
  );
  t.match(objectOf(blank), { processes: exactly([{ address: 'http://127.0.0.1:3000' }]) }, 'blank: not set');
  await on.queue(people(3));
  await on.rollcall('company configure --company 8');
  await on.rollcall('invitations hold --company 7');
  const late = rollcallWithin(on.dataDir, env, { clock: { now: () => systemClock.now() + 1_200_000 } });
  const { out, code, err } = await late(['status', '--at', ill, other]);
  t.match({ code, err }, { code: 1, err: '3 things need you.\n' });
  t.match(
    out,
    new RegExp(
      `^processes +${ill}  degraded  0.1.0 \\(8f3c2d1a9b04\\)  projections have stopped: company-7 at revision 3$`,
      'm',
    ),
  );
  t.match(out, new RegExp(`^ +${other}  no answer  it is no process of Rollcall$`, 'm'));
  t.match(out, /^lag +2 events$/m);
  t.match(out, /^queue +1 import, the oldest for 20 min$/m);
  t.match(out, new RegExp(`^needs you +${ill}: degraded: projections have stopped`, 'm'));
  t.match(out, new RegExp(`^ +${other}: no answer: it is no process of Rollcall\\.$`, 'm'));
  t.match(out, /^ +An import has waited for 20 min: see rollcall imports list --state pending\.$/m);

  await on.project();
  t.match((await rollcall(`status --at ${well}`)).out, /^queue .*; invitations held by company 7$/m);
  t.match(objectOf(await rollcall(`status --at ${well} --json`)), {
    processes: exactly([{ address: well, status: 'ok', version: '0.1.0' }]),
    lagEvents: 0,
    work: { imports: 1, held: exactly([7]) },
    needsPerson: { length: 0 },
  });
});

tap.test(
  'a dead installation is red, and a live one says nothing of ports that it does not use',
  async (t) => {
    const on = await installation(t);
    const dead = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
    const { code, err, out } = await rollcallWithin(on.dataDir, dead)('status');
    t.match({ code, err }, { code: 1, err: '2 things need you.\n' });
    t.match(out, new RegExp(`^needs you +http://127.0.0.1:${dead.PORT}: no answer: ECONNREFUSED\\.$`, 'm'));

    const { port } = new URL(await processSaying(t, health('ok', [])));
    const live = await rollcallWithin(on.dataDir, { ...dead, PORT: port })('status');
    t.match(live, { code: 0, err: '' });
    t.notMatch(live.out, 'no answer');
  },
);

tap.test('the processes that the environment names are asked', async (t) => {
  const on = await installation(t);
  const well = await processSaying(t, health('ok', []));
  const gone = `http://127.0.0.1:${await freePort()}`;
  const status = async (PROCESS_ADDRESSES: string) =>
    rollcallWithin(on.dataDir, { PROCESS_ADDRESSES })('status');
  t.match(await status(well), { code: 0, out: `processes     ${well}  ok` });
  t.match(await status(`${well},${gone}`), { code: 1, out: `${gone}: no answer` });
  t.match(await status('api:3000'), {
    code: 2,
    err: /^PROCESS_ADDRESSES must match .*: docs\/configuration.md says what it is$/m,
  });
});

tap.test('invitations that a long list has to wait for need a person after an hour', async (t) => {
  const on = await installation(t);
  const at = await processSaying(t, health('ok', []));
  await on.queue(people(4));
  await on.run();
  const due = await on.rollcall('invitations list --company 7 --json');
  const [first] = objectOf(due)['invitations'] as { DueAt: string }[];
  const statusAfter = (minutes: number) => {
    const now = () => Date.parse(first?.DueAt ?? '') + minutes * 60_000;
    return rollcallWithin(on.dataDir, {}, { clock: { now } })(`status --at ${at}`);
  };
  t.match(await statusAfter(59), { code: 0, out: /^needs you +nothing$/m });
  const late = /^needs you +An invitation has been due for 1 h: see a worker's log, INVITATION_RATE\.$/m;
  t.match(await statusAfter(61), { code: 1, out: late });
});

tap.test('an import that waits for an approval needs a person; one behind it does not', async (t) => {
  const on = await installation(t);
  const at = await processSaying(t, health('ok', []));
  await on.queue(people(4));
  await on.run();
  await on.rollcall('company configure --company 7 --batch-limit 25 --batch-limit-from 0 --over-limit hold');
  await on.queue(people(1));
  await on.run();
  await on.queue(people(4));
  t.match(await on.rollcall(`status --at ${at}`), {
    code: 1,
    out: /^queue +2 imports, 1 for an approval$[^]*^needs you +1 import for somebody to approve or reject: see rollcall imports list --state held\.$/m,
  });
  t.match(await on.rollcall('doctor'), { out: /imports +2 waiting, 1 for an approval/ });
});

tap.test('a webhook that accepts nothing needs a person once retries do not help', async (t) => {
  const on = await installation(t);
  const at = await processSaying(t, health('ok', []));
  await on.rollcall('webhook add --company 7 --url https://hr.example.com/ --events import.completed');
  const append = (event: DomainEvent) =>
    decideAndAppend(
      { log: on.adapters.log, clock: systemClock },
      {
        stream: 'webhooks-7',
        context: callContext(),
        fold: { initial: () => undefined, evolve: () => undefined },
        decide: () => ({ kind: 'events', events: [event] }),
      },
    );
  const since = new Date().toISOString();
  const retried = { webhookId: 1, attempt: 1, since, nextAttemptAt: since, problem: 'answered 500' };
  await append({ name: 'WebhookDeferred', data: retried });
  await on.project();
  t.match(await on.rollcall(`status --at ${at}`), { code: 0, out: /^needs you +nothing$/m });
  const late = rollcallWithin(on.dataDir, {}, { clock: { now: () => systemClock.now() + 1_200_000 } });
  const see = 'see rollcall webhook deliveries --company 7\\.$';
  t.match(await late(`status --at ${at}`), {
    code: 1,
    out: new RegExp(`^needs you +Webhook 1 of company 7 accepts nothing: ${see}`, 'm'),
  });
  await append({ name: 'WebhookDisabled', data: { webhookId: 1, problem: 'answered 500' } });
  await on.project();
  t.match(await late(`status --at ${at}`), {
    code: 1,
    out: new RegExp(`^needs you +Webhook 1 of company 7 is disabled: ${see}`, 'm'),
  });
  await forge(on.adapters.log, 'webhooks-7', { type: 'WebhookDisabled', data: {} });
  t.match(await late(`status --at ${at}`), {
    code: 1,
    out: /^processes .*^needs you +The states of webhooks cannot be read: see rollcall doctor\.$/ms,
  });
});

tap.test('no plan of invitations is read that a worker has read', async (t) => {
  const on = await installation(t);
  await on.queue(people(4));
  await on.run();
  const readTo = await saveOpenInvitations(on.adapters);
  const from: unknown[] = [];
  const { readModels } = on.adapters;
  const findByIndex = readModels.findByIndex.bind(readModels);
  const value = (...given: Parameters<typeof findByIndex>): ReturnType<typeof findByIndex> => {
    if (given[1] === 'position') from.push(given[2].from);
    return findByIndex(...given);
  };
  t.intercept(Object.getPrototypeOf(readModels) as ReadModelReader, 'findByIndex', {
    value,
    configurable: true,
  });
  await on.rollcall('status');
  t.ok(readTo > 0);
  t.strictSame(from, [readTo + 1]);
});
