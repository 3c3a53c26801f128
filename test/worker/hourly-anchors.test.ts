import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigningKey } from '@rollcall/adapters';
import {
  AnchorCheck,
  createInstallation,
  problemOf,
  verifyLog,
  type AnchorsVerdict,
} from '@rollcall/application';
import { HourlyAnchors, type AnchorsConfig } from '@rollcall/worker';
import t, { type Test } from 'tap';
import { append, configured, context, openRig, survey, type Rig } from '../projector/projector.support.js';
import { exactly } from '../support/exactly.js';

const hourMs = 3_600_000;

async function begun(t: Test): Promise<Rig> {
  const on = await openRig(t);
  const created = { installationId: '0f8b1e6c-3d52-4a8e-9c41-7b6d2a90e5f3', keyCheck: 'ab'.repeat(32) };
  await createInstallation(on, context({ companyId: null }), created);
  await append(on, 'company-7', configured(7, 'Example A/S'));
  return on;
}

const keyOf = (on: Rig) =>
  createSigningKey({ publicFolder: join(on.folder, 'anchors'), privateFile: join(on.folder, 'anchor.pem') });

const anchorsOf = (on: Rig, anchors: Partial<AnchorsConfig> = {}): HourlyAnchors =>
  new HourlyAnchors({
    ...on,
    readModels: undefined,
    key: () => keyOf(on),
    anchors: { file: undefined, url: undefined, ...anchors },
  });

const failureOf = (anchors: HourlyAnchors): Promise<unknown> =>
  anchors.look().then(
    () => undefined,
    (error: unknown) => error,
  );

const countOf = async ({ log }: Rig): Promise<number> =>
  ((await log.readLast('anchors'))?.revision ?? -1) + 1;

async function checked(on: Rig): Promise<AnchorsVerdict> {
  const { kid, pem } = await keyOf(on);
  const keys = new Map([[kid, createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString()]]);
  const check = await AnchorCheck.open(on.log, { keys });
  t.match(await verifyLog(on.log, { onEvent: (event) => check.take(event) }), { kind: 'whole' });
  return check.end();
}

t.test('an anchor an hour after the beginning, then every hour, whichever worker is first', async (t) => {
  const on = await begun(t);
  const [one, other] = [anchorsOf(on), anchorsOf(on)];
  on.clock.at += hourMs - 1;
  await one.look();
  t.equal(await countOf(on), 0, 'not yet due');
  on.clock.at += 1;
  await Promise.all([one.look(), other.look()]);
  t.equal(await countOf(on), 1);
  on.clock.at += hourMs / 2;
  await other.look();
  t.equal(await countOf(on), 1);
  for (let n = 0; n < 3; n += 1) {
    await append(on, `survey-${n + 1}`, survey(n + 1, 'Next'));
    on.clock.at += hourMs;
    await Promise.all([other.look(), one.look()]);
  }
  t.equal(await countOf(on), 4);
  t.match(await checked(on), { problems: { length: 0 }, notices: { length: 0 }, own: 4, events: 9 });
});

t.test('a clock that was a day ahead stops no anchors once it is right', async (t) => {
  const on = await begun(t);
  const [one, other] = [anchorsOf(on), anchorsOf(on)];
  on.clock.at += 24 * hourMs;
  await one.look();
  t.equal(await countOf(on), 1);
  on.clock.at -= 23 * hourMs;
  await one.look();
  t.equal(await countOf(on), 2);
  on.clock.at += hourMs - 1;
  await Promise.all([one.look(), other.look()]);
  t.equal(await countOf(on), 2, 'not yet due');
  on.clock.at += 1;
  await one.look();
  t.equal(await countOf(on), 3);
  t.match(await checked(on), { problems: { length: 0 }, own: 3 });
});

t.test('workers whose clocks are a day apart make one each an hour', async (t) => {
  const on = await begun(t);
  const ahead = { now: () => on.clock.at + 24 * hourMs };
  const [one, other] = [anchorsOf(on), anchorsOf({ ...on, clock: ahead } as unknown as Rig)];
  for (let minute = 0; minute <= 120; minute += 1) {
    await one.look();
    await other.look();
    on.clock.at += hourMs / 60;
  }
  t.equal(await countOf(on), 5, 'the other’s at once, after one hour, and after two');
});

t.test('a log without an installation is not anchored', async (t) => {
  const on = await openRig(t);
  on.clock.at += 10 * hourMs;
  await anchorsOf(on).look();
  t.equal(await countOf(on), 0);
});

t.test('the newest anchor becomes a line of the file, once, whoever made it', async (t) => {
  const on = await begun(t);
  const file = join(on.folder, 'kept.ndjson');
  on.clock.at += hourMs;
  await anchorsOf(on).look();
  for (let n = 0; n < 2; n += 1) await anchorsOf(on, { file }).look();
  t.equal((await readFile(file, 'utf8')).split('\n').length, 2);
  on.clock.at += hourMs;
  await anchorsOf(on, { file }).look();
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  t.equal(lines.length, 2);
  t.match(JSON.parse(lines[1] ?? ''), { format: 1, time: new Date(on.clock.at).toISOString(), events: 3 });
});

t.test('what keeps an anchor from its key, its file or its address is named', async (t) => {
  const on = await begun(t);
  on.clock.at += hourMs;
  const noFile = /^ANCHOR_FILE: its folder must exist .*\((EISDIR|ENOENT)\)$/;
  for (const file of [on.folder, join(on.folder, 'missing', 'kept.ndjson')])
    t.match(problemOf(await failureOf(anchorsOf(on, { file }))), noFile);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const closed = anchorsOf(on, { url: `http://ops:s3cret@127.0.0.1:${port}/` });
  t.equal(problemOf(await failureOf(closed)), 'ANCHOR_URL was not reached (ECONNREFUSED)');
  on.clock.at += hourMs;
  await rm(join(on.folder, 'anchors'), { recursive: true });
  await writeFile(join(on.folder, 'anchors'), 'no folder');
  const noKey = /^keys\/anchor\.pem: let this user make it, .* \(E[A-Z]+\)$/;
  t.match(problemOf(await failureOf(anchorsOf(on))), noKey);
});

t.test(
  'what a full disk has left of a line is removed before the next line; a whole line stays',
  async (t) => {
    const on = await begun(t);
    const file = join(on.folder, 'kept.ndjson');
    const next = async (): Promise<string> => {
      on.clock.at += hourMs;
      await anchorsOf(on, { file }).look();
      return readFile(file, 'utf8');
    };
    const first = await next();
    await writeFile(file, `${first}{"format":1,"ti`);
    const second = await next();
    t.match(second.split('\n'), exactly([first.trimEnd(), /^\{[^{]*\}$/, '']), 'its part is gone');
    await writeFile(file, second.trimEnd());
    const third = await next();
    t.ok(third.startsWith(second));
    t.equal(third.split('\n').length, 4);
    await writeFile(file, '{"format"');
    t.match(await next(), /^\{[^{\n]*\}\n$/);
  },
);

t.test(
  'an address that fails is tried at the next look, and keeps neither log nor file waiting',
  async (t) => {
    const on = await begun(t);
    const posted: string[] = [];
    let authorization: string | undefined;
    let status = 503;
    const server = createServer((request, response) => {
      ({ authorization } = request.headers);
      request.setEncoding('utf8').on('data', (text: string) => posted.push(text));
      const answer = (): number => (request.method === 'POST' ? status : 200);
      request.on('end', () => response.writeHead(answer(), { location: '/' }).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const file = join(on.folder, 'kept.ndjson');
    const anchors = anchorsOf(on, { file, url: `http://127.0.0.1:${port}/anchors?key=secret` });
    on.clock.at += hourMs;
    t.equal(problemOf(await failureOf(anchors)), 'ANCHOR_URL answered 503', 'what is logged');
    t.equal(await countOf(on), 1);
    status = 302;
    t.equal(problemOf(await failureOf(anchors)), 'ANCHOR_URL answered 302', 'a redirect is not followed');
    posted.pop();
    status = 204;
    await anchors.look();
    await anchors.look();
    t.equal(posted.length, 2, 'the refused one, and the same again');
    t.equal(posted[1], await readFile(file, 'utf8'));
    t.equal(authorization, undefined);
    await anchorsOf(on, { url: `http://ops:p%40ss:w%C3%B8rd@127.0.0.1:${port}/` }).look();
    t.equal(posted.pop(), posted[1], 'fetch itself refuses user and password in an address');
    t.equal(authorization, `Basic ${Buffer.from('ops:p@ss:wørd').toString('base64')}`);
    on.clock.at += hourMs;
    await writeFile(join(on.folder, 'anchor.pem'), 'broken');
    t.match(problemOf(await failureOf(anchors)), /anchor\.pem must be a private key in PEM form\.$/);
    t.equal(posted.length, 2);
  },
);
