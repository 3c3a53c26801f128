import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { openImportPool } from '@rollcall/host';
import { type BodyIntake, EventLogUnavailable, type Imports, systemClock } from '@rollcall/application';
import t, { type Test } from 'tap';
import { employeesBody, generatedEmployees } from '../generators/employees.js';
import { openBodies } from '../support/open-bodies.js';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, otherCompanyId, startTestApp, type TestApp } from '../support/test-app.js';
import { openTestStore } from '../support/test-store.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const pathOf = (company: number, query = '?dryRun=true'): string =>
  `/v1.0/Company/${company}/Employee${query}`;

/** Whole numbers below `sides`, the same in each run. */
function rolls(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % sides;
  };
}

const noneLeft = () => until('no file of a body is left', async () => (await openBodies()) === 0);
const someLie = (count: number) => until('bodies lie in files', async () => (await openBodies()) === count);

const head = (app: TestApp, more: string, token = app.token(), path = pathOf(companyId)): string =>
  `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

/** The body in chunks of random lengths, each sent as it is. */
function chunksOf(body: Uint8Array, longest: number, seed: number): Buffer[] {
  const roll = rolls(seed);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const bytes = body.subarray(at, at + 1 + roll(longest));
    chunks.push(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
    at += bytes.length;
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}

/** An upload that has begun; `answer` is its status. */
async function begin(t: Test, app: TestApp, parts: readonly (string | Uint8Array)[]) {
  const socket: Socket = connect(app.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  const answer = once(socket, 'data').then(([chunk]) => statusOf(String(chunk)));
  answer.catch(() => undefined);
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return { socket, answer };
}

/** The same intake, but for one of its steps. */
const withWrite = (intake: BodyIntake, write: BodyIntake['write']): BodyIntake => ({
  write,
  end: () => intake.end(),
  accept: (request) => intake.accept(request),
  abandon: () => intake.abandon(),
});

t.test('wherever chunks end, the answer is that to the whole body', async (t) => {
  const at = Date.now();
  const app = await startTestApp(t, { clock: { now: () => at } });
  const many = generatedEmployees(2_500);
  const bodies = [
    Buffer.from(JSON.stringify(many)),
    employeesBody(2_500, { shuffled: true }),
    Buffer.from(JSON.stringify([...many, ...many.slice(0, 30), { EmployeeID: 'x' }])),
    Buffer.from(JSON.stringify(many)).subarray(0, 700_000),
  ];
  for (const body of bodies) {
    t.ok(body.length > 512 * kibibyte);
    const whole = await app.call('PUT', pathOf(companyId), { body });
    for (const longest of [700, 20_000, 400_000]) {
      const chunks = chunksOf(body, longest, longest);
      const answer = await sendRaw(app.port, [head(app, 'Transfer-Encoding: chunked'), ...chunks]);
      t.equal(statusOf(answer), whole.status);
      const told = { ...(JSON.parse(bodyOf(answer)) as object), ApiOperationId: '' };
      t.same(told, { ...(whole.json as object), ApiOperationId: '' }, `in chunks of up to ${longest}`);
    }
    const packed = { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } };
    t.equal((await app.call('PUT', pathOf(companyId), packed)).status, whole.status, 'packed');
  }
  await noneLeft();
});

t.test('a body that does not come to its end leaves nothing behind', async (t) => {
  const length = 2 * mebibyte;
  const config = { bodyBudget: 3 * length, employeeBodyLimit: length };
  const app = await startTestApp(t, { config, timeouts: { bodyProgress: 3_000 } });
  const body = Buffer.alloc(length, ' ');
  body.write('[');
  body.write(']', length - 1);
  const before = await app.eventCount();
  const declared = head(app, `Content-Length: ${length}`);
  const roll = rolls(7);
  for (let round = 0; round < 8; round++) {
    const { socket } = await begin(t, app, [declared, body.subarray(0, 300_000 + roll(length - 300_000))]);
    await someLie(1);
    socket.destroy();
    await noneLeft();
  }
  const slow = await begin(t, app, [declared, body.subarray(0, 600_000)]);
  t.equal(await slow.answer, 408);
  slow.socket.destroy();
  await noneLeft();
  const tooLong = chunksOf(Buffer.concat([body, body]), 200_000, 1);
  t.equal(statusOf(await sendRaw(app.port, [head(app, 'Transfer-Encoding: chunked'), ...tooLong])), 413);
  await noneLeft();
  const other = await begin(t, app, [declared, body.subarray(0, 600_000)]);
  await someLie(1);
  const chunks = [head(app, 'Transfer-Encoding: chunked'), ...chunksOf(body, 200_000, 1)];
  t.equal(statusOf(await sendRaw(app.port, chunks)), 503, 'the budget is used up in the middle');
  await someLie(1);
  other.socket.destroy();
  await noneLeft();
  const packed = gzipSync(Buffer.from(JSON.stringify(generatedEmployees(5_000))));
  packed.fill(0x5a, packed.length - 60_000);
  const headers = { 'content-encoding': 'gzip' };
  t.equal((await app.call('PUT', pathOf(companyId), { body: packed, headers })).status, 400);
  await noneLeft();
  t.equal(
    (await app.call('PUT', pathOf(companyId), { body })).status,
    200,
    'its part of the budget is given back',
  );
  t.equal(await app.eventCount(), before);
  await noneLeft();
});

t.test('uploads that wait for the network hold nobody up', async (t) => {
  const app = await startTestApp(t, { config: { queueBodyBytes: 16 * mebibyte } });
  const body = employeesBody(30_000);
  t.ok(body.length > 8 * mebibyte, 'of those that are decided on one at a time');
  const half = Math.floor(body.length / 2);
  const declared = head(app, `Content-Length: ${body.length}`);
  const slow = await Promise.all(
    Array.from({ length: 6 }, () => begin(t, app, [declared, body.subarray(0, half)])),
  );
  await someLie(6);
  const other = app.token({ claims: { sub: '3', company: otherCompanyId } });
  const others = await app.call('PUT', pathOf(otherCompanyId), { token: other, body });
  t.match(others.json, { Inserted: 30_000 });
  t.match(
    (await app.call('PUT', pathOf(companyId), { body })).json,
    { Inserted: 30_000 },
    'of the same company too',
  );
  for (const { socket } of slow) socket.write(body.subarray(half));
  t.same(await Promise.all(slow.map(({ answer }) => answer)), [200, 200, 200, 200, 200, 200]);
  await noneLeft();
});

t.test('a thread that dies while a body arrives', async (t) => {
  const threads = new Set<Worker>();
  const onWorker = (worker: Worker): void => void threads.add(worker);
  process.on('worker', onWorker);
  t.teardown(() => process.off('worker', onWorker));
  const app = await startTestApp(t, {
    settings: { queueThreshold: null },
    config: { queueBodyBytes: 16 * mebibyte },
  });
  threads.clear();
  const body = employeesBody(30_000);
  const sent = [
    head(app, `Content-Length: ${body.length}`, app.token(), pathOf(companyId, '')),
    body.subarray(0, mebibyte),
  ];
  const { socket, answer } = await begin(t, app, sent);
  await someLie(1);
  t.equal(threads.size, 1);
  for (const thread of threads) await thread.terminate();
  await noneLeft();
  socket.write(body.subarray(mebibyte));
  t.equal(await answer, 500);
  await app.projected();
  const rows = (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`)).json;
  t.match(rows, exactly([{ HttpStatusCode: 500 }]), 'it has its row');
  const again = await app.call('PUT', pathOf(companyId, ''), { body });
  t.match(again.json, { Inserted: 30_000 }, 'the next one has another thread');
  await noneLeft();
});

t.test('a call that waits for its thread is not cut as a slow one', async (t) => {
  let goOn = (): void => undefined;
  let writes = 0;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const slowly = (intake: BodyIntake): BodyIntake =>
    withWrite(intake, async (pieces) => {
      writes++;
      await held;
      return intake.write(pieces);
    });
  const app = await startTestApp(t, {
    timeouts: { bodyProgress: 50 },
    wrapImports: (imports: Imports) => ({
      ...imports,
      takeUp: (arriving) => slowly(imports.takeUp(arriving)),
    }),
  });
  const body = employeesBody(8_000);
  const { answer } = await begin(t, app, [head(app, `Content-Length: ${body.length}`), body]);
  await until('the thread is written to', () => writes > 0);
  t.equal(await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]), 'waits');
  t.equal(writes, 1, 'and its connection is not read meanwhile');
  goOn();
  t.equal(await answer, 200);
});

t.test('a disk that takes no body is an outage, and looked after', async (t) => {
  const full = () =>
    Promise.reject(new EventLogUnavailable('The temporary file for large data cannot be used'));
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({
      ...imports,
      takeUp: (arriving) => withWrite(imports.takeUp(arriving), full),
    }),
  });
  const before = await app.eventCount();
  const answer = await app.call('PUT', pathOf(companyId, ''), { body: employeesBody(3_000) });
  t.equal(answer.status, 503);
  t.equal(await app.eventCount(), before);

  const {
    digestKey,
    adapters: { log, readModels },
  } = await openTestStore(t);
  let told = 0;
  const pool = openImportPool(
    { adapters: embeddedAdapters(fileURLToPath(import.meta.url)), digestKey, cacheBytes: 1024 },
    { log, readModels, clock: systemClock, onUnavailable: () => (told += 1) },
    { accepts: true, keepsReady: false, runThreads: 1 },
  );
  t.teardown(() => pool.close());
  const intake = pool.takeUp({ kind: 'employees', companyId, expectedBytes: mebibyte });
  await t.rejects(intake.end(), EventLogUnavailable);
  intake.abandon();
  t.equal(told, 1);
});
