import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import t from 'tap';
import { companyId, startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';

const dryRun = `/v1.0/Company/${companyId}/Employee?dryRun=true`;
const body = `[${' '.repeat(8_998)}]`;

const nextRequest = (): Promise<IncomingMessage> =>
  new Promise((resolve) => {
    const onBegun = (begun: unknown): void => {
      unsubscribe('http.server.request.start', onBegun);
      resolve((begun as { request: IncomingMessage }).request);
    };
    subscribe('http.server.request.start', onBegun);
  });

t.test('a call whose caller leaves while its token is looked up holds nothing', async (t) => {
  let [ahead, gate] = [0, Promise.resolve()];
  const app = await startTestApp(t, {
    clock: { now: () => Date.now() + ahead },
    config: { bodyBudget: 20_000 },
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (stream, options) {
          await gate;
          yield* log.readStream(stream, options);
        },
      }),
    }),
  });
  const head = `Host: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json`;
  const put = () => app.call('PUT', dryRun, { body });
  for (const call of [`PUT /v1.0/Company/${companyId}/Employee`, 'POST /v1.0/Survey'])
    for (const sent of [body, '[']) {
      let goOn = (): void => undefined;
      gate = new Promise((resolve) => (goOn = resolve));
      // The users that are known are too old, and the log is slow.
      ahead += 6_000;
      const begun = nextRequest();
      const socket = connect(app.port, '127.0.0.1');
      socket.write(`${call} HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${sent}`);
      const gone = once(await begun, 'close').catch(() => undefined);
      socket.destroy();
      await gone;
      goOn();
      const room = async () => (await put()).status === 200;
      t.ok(await until(`room after ${call}`, room, { withinMs: 10_000 }), `${call}, of ${sent.length} bytes`);
    }
  await app.projected();
  const rows = await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`);
  t.strictSame(rows.json, [], 'nor does it count as refused');
});

t.test('a caller who leaves before the rows of a dry run are read is no error of the service', async (t) => {
  let [gate, waiting, goOn, lines] = [Promise.resolve(), 0, (): void => undefined, ''];
  const logTo = new PassThrough().on('data', (chunk: Buffer) => (lines += chunk.toString()));
  const app = await startTestApp(t, {
    logTo,
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (stream, options) {
          if (stream === `company-${companyId}`) waiting += 1;
          await gate;
          yield* log.readStream(stream, options);
        },
      }),
    }),
  });
  const sent = JSON.stringify([
    { EmployeeID: 'E-1', Firstname: 'Ann', Lastname: 'Bo', Email: 'ann@example.com', EmploymentStatus: 0 },
  ]);
  const path = `${dryRun}&Details=true`;
  t.equal((await app.call('PUT', path, { body: sent })).status, 200);
  [gate, waiting] = [new Promise((resolve) => (goOn = resolve)), 0];
  const begun = nextRequest();
  const socket = connect(app.port, '127.0.0.1');
  const head = `Host: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json`;
  socket.write(`PUT ${path} HTTP/1.1\r\n${head}\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`);
  const gone = once((await begun).socket, 'close');
  await until('it is decided', () => waiting > 0);
  socket.destroy();
  await gone;
  lines = '';
  goOn();
  t.match(JSON.parse(await until('a line', () => lines.includes('\n') && lines)), {
    level: 30,
    reason: 'the caller has left',
  });
  const left = (await readdir(app.store.config.dataDir)).filter((name) => name.startsWith('.spool-'));
  t.strictSame(left, [], 'no rows are left');
});
