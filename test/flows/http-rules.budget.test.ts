import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, otherCompanyId, startTestApp, type TestApp } from '../support/test-app.js';
import { signedIn } from './page.support.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';

const dryRun = (company: number): string => `/v1.0/Company/${company}/Employee?dryRun=true`;
const spaces = (length: number): string => `[${' '.repeat(length - 2)}]`;
const kibibyte = 1024;

const head = (app: TestApp, more: string, token = app.token(), company = companyId): string =>
  `PUT ${dryRun(company)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

const employee = (number: number): object => ({
  EmployeeID: `E-${number}`,
  Firstname: 'Bilbo',
  Lastname: 'Baggins',
  Email: `bilbo.${number}@example.com`,
  EmploymentStatus: 1,
});

const otherToken = (app: TestApp): string => app.token({ claims: { sub: '3', company: otherCompanyId } });

/** An upload that has begun and waits for its next bytes. */
async function begin(
  t: Test,
  app: TestApp,
  length: number,
  company = companyId,
): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(app.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const answer = once(socket, 'data').then(([chunk]) => String(chunk));
  await once(socket, 'connect');
  const token = company === companyId ? app.token() : otherToken(app);
  socket.write(`${head(app, `Content-Length: ${length}`, token, company)}[`);
  return { socket, answer };
}

t.test('bodies under way have a budget, half of it for one API user', async (t) => {
  const app = await startTestApp(t, { config: { bodyBudget: 20_000 }, timeouts: { linger: 100 } });
  const put = (body: string | Uint8Array, headers = {}) =>
    app.call('PUT', dryRun(companyId), { body, headers });
  const first = await begin(t, app, 6_000);
  await until('the second is refused', async () => (await put(spaces(6_000))).status === 503);

  const declared = await sendRaw(app.port, [head(app, 'Content-Length: 6000')]);
  t.equal(statusOf(declared), 503, 'before a byte of it came');
  t.match(declared, /retry-after: [1-9]/);
  t.same(Object.keys(JSON.parse(bodyOf(declared)) as object), ['Message']);
  const packed = await put(gzipSync(spaces(6_000)), { 'content-encoding': 'gzip' });
  t.equal(packed.status, 503, 'packed ones count by what they unpack to');
  t.equal((await put(spaces(4_000))).status, 200, 'what there is room for is taken');
  const other = { token: otherToken(app), body: spaces(10_000) };
  t.equal((await app.call('PUT', dryRun(otherCompanyId), other)).status, 200, "another user's too");

  first.socket.write(spaces(6_000).slice(1));
  t.equal(statusOf(await first.answer), 200);
  t.equal((await put(spaces(10_000))).status, 200, 'what was held is given back');
});

t.test('the rows of a dry run count until they are read', async (t) => {
  const app = await startTestApp(t, { config: { bodyBudget: 20_000 } });
  const all = Array.from({ length: 80 }, (_, number) => employee(number));
  const details = `${dryRun(companyId)}&Details=true`;
  const put = (path: string, body: unknown) => app.call('PUT', path, { body });
  t.equal((await put(dryRun(companyId).replace('dryRun=true', ''), all)).status, 200);
  t.equal((await put(dryRun(companyId), [])).status, 200, 'without rows');
  const held = await begin(t, app, 6_000);
  await until('room is held', async () => (await put(details, [])).status === 503);
  t.equal((await put(details, [])).headers.get('retry-after'), '5', 'more than there is room for');
  held.socket.write(spaces(6_000).slice(1));
  t.equal(statusOf(await held.answer), 200);
  const renamed = all.map((one) => ({ ...one, Lastname: 'Gamgee' }));
  for (let round = 0; round < 3; round++)
    t.equal((await put(details, renamed)).status, 200, 'those of one call go, its body no longer counts');
  t.equal((await put(details, [])).status, 200, 'however many there are');
  t.strictSame(
    (await readdir(app.store.config.dataDir)).filter((name) => name.startsWith('.spool-')),
    [],
    'none is left',
  );
});

t.test('the rows of an answer count until it is read', async (t) => {
  const app = await startTestApp(t, { config: { bodyBudget: 20_000 } });
  const path = `/v1.0/Company/${companyId}/Employee`;
  const get = (query = '') => app.call('GET', `${path}${query}`);
  const body = Array.from({ length: 20 }, (_, number) => employee(number));
  t.equal((await app.call('PUT', path, { body })).status, 200);
  await app.projected();
  const sockets: Socket[] = [];
  await until('there is no room', async () => {
    sockets.push((await begin(t, app, 8_000)).socket);
    return (await get()).status === 503;
  });
  const page = await get('?Top=10');
  t.strictSame([page.status, page.headers.get('retry-after')], [503, '5']);
  t.equal((await get('?EmployeeID=E-1')).status, 200, 'one employee is shown');
  for (const socket of sockets) socket.destroy();
  await until('what was held is given back', async () => (await get()).status === 200);
  for (let round = 0; round < 3; round++) {
    t.equal((await get('?Top=10')).status, 200, 'that of an answer, too');
    const socket = connect(app.port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    await until('its caller has left', async () => (await get()).status === 200);
  }
});

t.test('a body over its limit is too large, also where the budget ends there, too', async (t) => {
  const config = { bodyBudget: 20_000, employeeBodyLimit: 10_000 };
  const app = await startTestApp(t, { config, timeouts: { linger: 100 } });
  const declared = await sendRaw(app.port, [head(app, 'Content-Length: 10001')]);
  t.equal(statusOf(declared), 413, 'before a byte of it came');
  const body = gzipSync(spaces(10_001));
  const headers = { 'content-encoding': 'gzip' };
  t.equal((await app.call('PUT', dryRun(companyId), { body, headers })).status, 413);
});

t.test('the body of a held import that somebody looks at counts, too', async (t) => {
  const settings = { batchLimit: 10, batchLimitFrom: 1, overLimit: 'hold' } as const;
  const app = await startTestApp(t, { config: { bodyBudget: 20_000 }, settings, worker: true });
  const put = (...body: object[]) => app.call('PUT', `/v1.0/Company/${companyId}/Employee`, { body });
  await put(employee(1), employee(2), employee(3));
  const { json } = await put(employee(3));
  await app.projected();
  const visitor = await signedIn(app);
  const path = `/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`;
  const fill = async (company: number, token: string): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    await until(`the half of ${company} is full`, async () => {
      const { status } = await app.call('PUT', dryRun(company), { token, body: spaces(1_000) });
      if (status === 503) return true;
      sockets.push((await begin(t, app, 9_990, company)).socket);
      return false;
    });
    return sockets;
  };
  const first = await fill(companyId, app.token());
  await fill(otherCompanyId, otherToken(app));
  const full = await visitor.get(path);
  t.match(full.text, /Approve it.*cannot be shown now/s, 'it can be decided on');
  for (const socket of first) socket.destroy();
  await until('the first has left', async () => /Who would be removed/.test((await visitor.get(path)).text));
  const last = await begin(t, app, 9_900);
  last.socket.write(spaces(9_900).slice(1));
  t.equal(statusOf(await last.answer), 200, 'and what it held is given back');
});

t.test(
  'files that operators upload count while they arrive, half of the budget for all of them',
  async (t) => {
    const app = await startTestApp(t, { config: { bodyBudget: 200_000 }, timeouts: { linger: 100 } });
    const { cookie = '' } = await signedIn(app);
    const upload = async (
      content = '',
      length = 140_000,
    ): Promise<{ socket: Socket; answer: Promise<string> }> => {
      const socket = connect(app.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      const answer = once(socket, 'data').then(([chunk]) => String(chunk));
      const form = `Content-Type: multipart/form-data; boundary=B\r\nContent-Length: ${length}`;
      const fetched = `Host: 127.0.0.1:${app.port}\r\nCookie: ${cookie}\r\nSec-Fetch-Site: same-origin`;
      const path = `/operations/companies/${companyId}/upload`;
      socket.write(`POST ${path} HTTP/1.1\r\n${fetched}\r\n${form}\r\n\r\n${content}`);
      await once(socket, 'connect');
      return { socket, answer };
    };
    const whole = async (): Promise<number> => statusOf(await (await upload(' '.repeat(140_000))).answer);
    const { socket } = await upload();
    await until('the second is refused', async () => (await whole()) === 503);
    const call = { body: spaces(60_000), token: app.token() };
    t.equal((await app.call('PUT', dryRun(companyId), call)).status, 200, 'the API has its half');
    socket.destroy();
    await until('it is given back', async () => (await whole()) === 400);
    t.equal(await whole(), 400, 'no form; given back, too');
    const large = await upload(' '.repeat(260_000), 260_000);
    t.equal(statusOf(await large.answer), 400, 'one of more than the half is read where none else is');
    await until('the half is given back', async () => (await whole()) === 400);
  },
);

t.test('an upload whose sender is gone before it begins holds nothing', async (t) => {
  let [isSlow, waiting, goOn] = [false, 0, (): void => undefined];
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const app = await startTestApp(t, {
    config: { bodyBudget: 200_000 },
    timeouts: { linger: 100 },
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (stream, options) {
          waiting += 1;
          if (isSlow) await gate;
          yield* log.readStream(stream, options);
        },
      }),
    }),
  });
  const { cookie = '' } = await signedIn(app);
  const path = `/operations/companies/${companyId}/upload`;
  const form = 'Content-Type: multipart/form-data; boundary=B\r\nContent-Length: 140000';
  const begin = (content = ''): Socket => {
    const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    const fetched = `Host: 127.0.0.1:${app.port}\r\nCookie: ${cookie}\r\nSec-Fetch-Site: same-origin`;
    socket.write(`POST ${path} HTTP/1.1\r\n${fetched}\r\n${form}\r\n\r\n${content}`);
    return socket;
  };
  [isSlow, waiting] = [true, 0];
  const gone = new Promise<void>((resolve) => {
    const onBegun = (begun: unknown): void => {
      unsubscribe('http.server.request.start', onBegun);
      (begun as { request: IncomingMessage }).request.once('close', resolve);
    };
    subscribe('http.server.request.start', onBegun);
  });
  const socket = begin();
  await until('its session is looked up', () => Promise.resolve(waiting > 0));
  socket.destroy();
  await gone;
  isSlow = false;
  goOn();
  const answer = await once(begin(' '.repeat(140_000)), 'data');
  t.equal(statusOf(String(answer[0])), 400, 'no form; it has its part of the budget');
});

t.test('whatever becomes of a body, its part of the budget is given back', async (t) => {
  const timeouts = { bodyProgress: 100, linger: 50 };
  const app = await startTestApp(t, { config: { bodyBudget: 20_000, employeeBodyLimit: 9_000 }, timeouts });
  const put = (body: string | Uint8Array, headers = {}) =>
    app.call('PUT', dryRun(companyId), { body, headers });
  const packing = { 'content-encoding': 'gzip' };
  for (let round = 0; round < 3; round++) {
    t.equal((await put(spaces(9_000))).status, 200);
    t.equal((await put(gzipSync(spaces(9_001)), packing)).status, 413);
    t.equal((await put(gzipSync(spaces(9_000)).subarray(0, 20), packing)).status, 400);
    t.equal((await put(`${spaces(8_000)}x`)).status, 400);
    t.equal((await app.call('POST', '/v1.0/survey', { body: spaces(8_000) })).status, 400);
    const unpacked = { body: spaces(9_000), headers: packing };
    t.equal((await app.call('POST', '/v1.0/survey', unpacked)).status, 400);
    t.equal(statusOf(await sendRaw(app.port, [head(app, 'Content-Length: 9000'), '['])), 408);
    const { socket } = await begin(t, app, 9_900);
    socket.destroy();
    await until('a lost connection', async () => (await put(spaces(9_000))).status === 200);
  }
});

t.test('a body that moves too slowly, or for too long, is cut', async (t) => {
  /** Sends so many spaces every 50 ms until an answer comes. */
  const trickle = async (
    bytes: number,
    timeouts: { bodyProgress: number; body: number },
  ): Promise<number> => {
    const app = await startTestApp(t, { timeouts: { ...timeouts, linger: 50 } });
    const { socket, answer } = await begin(t, app, 50_000_000);
    const timer = setInterval(() => socket.write(' '.repeat(bytes)), 50);
    const status = statusOf(await answer);
    clearInterval(timer);
    return status;
  };
  const began = performance.now();
  t.equal(await trickle(kibibyte, { bodyProgress: 300, body: 120_000 }), 408, 'less than 64 KiB');
  t.ok(performance.now() - began < 100_000, 'long before the longest time');
  const later = performance.now();
  t.equal(await trickle(64 * kibibyte, { bodyProgress: 120_000, body: 900 }), 408, 'however fast');
  t.ok(performance.now() - later >= 850, 'at the longest time only');
});

t.test('a packed body moves as fast as it unpacks', async (t) => {
  const app = await startTestApp(t, { timeouts: { bodyProgress: 1_000 } });
  const body = gzipSync(spaces(4_000 * kibibyte));
  const socket = connect(app.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const answer = once(socket, 'data').then(([chunk]) => String(chunk));
  socket.write(head(app, `Content-Encoding: gzip\r\nContent-Length: ${body.length}`));
  const step = Math.ceil(body.length / 16);
  for (let from = 0; from < body.length; from += step) {
    socket.write(body.subarray(from, from + step));
    await wait(100);
  }
  t.equal(statusOf(await answer), 200);
});
