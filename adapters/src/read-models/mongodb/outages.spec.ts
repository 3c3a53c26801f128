import { once, EventEmitter } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { ReadModelsUnavailable, UnwritableDocument } from '@rollcall/application';
import {
  MongoClient,
  MongoCursorExhaustedError,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
} from 'mongodb';
import t from 'tap';
import { asOutage, Heartbeats } from './outages.js';

t.test('a server that is not there is an outage, without what it says of documents', async (t) => {
  const name = Object.assign(new Error('querySrv ENOTFOUND'), { syscall: 'querySrv', code: 'ENOTFOUND' });
  const closed = new MongoNotConnectedError('the client was renewed');
  const away = new MongoServerError({ code: 11_600, codeName: 'InterruptedAtShutdown', message: 'secret' });
  const ended = [new MongoExpiredSessionError(), new MongoCursorExhaustedError()];
  for (const error of [new MongoNetworkError('reset'), closed, ...ended, away, name]) {
    const outage = asOutage(error);
    t.ok(outage instanceof ReadModelsUnavailable, error.name);
    t.notMatch(outage, { message: /secret/ });
  }
});

t.test('a command at the moment at which the server has ended the connection', async (t) => {
  const server = createServer((socket) => socket.end());
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await once(socket, 'end');
  const failed = once(socket, 'error');
  socket.write('find');
  const [error] = (await failed) as [Error];
  t.match(error, { code: 'EPIPE', syscall: undefined });
  t.match(asOutage(error), { name: 'ReadModelsUnavailable', message: 'MongoDB cannot be used: Error EPIPE' });
  for (const code of ['ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_SSL_WRONG_VERSION_NUMBER'])
    t.ok(asOutage(Object.assign(new Error(code), { code })) instanceof ReadModelsUnavailable, code);
});

t.test('a server that gives a command up at its deadline is late: less may be asked of it', async (t) => {
  t.match(asOutage(new MongoServerError({ code: 50 })), { name: 'ReadModelsLate' });
  t.match(asOutage(new MongoServerError({ code: 11_600 })), { name: 'ReadModelsUnavailable' });
});

t.test('a mistake of this program is none: it is not tried for ever', async (t) => {
  const own = new TypeError('x is not a function');
  t.equal(asOutage(own), own);
  const wrongArgument = Object.assign(new TypeError('not a string'), { code: 'ERR_INVALID_ARG_TYPE' });
  t.equal(asOutage(wrongArgument), wrongArgument);
  const misused = new MongoInvalidArgumentError('no such option');
  t.equal(asOutage(misused), misused);
  const unwritable = new UnwritableDocument('too long');
  t.equal(asOutage(unwritable), unwritable);
  const refused = asOutage(new MongoServerError({ code: 10_334, message: 'Object secret is too large' }));
  t.match(refused, { name: 'CommandRefused', message: /10334/ });
  t.notOk(refused instanceof ReadModelsUnavailable);
  t.notMatch(refused, { message: /secret/ });
});

const address = '127.0.0.1:27017';

const given = () => {
  const client = new EventEmitter();
  let time = 0;
  const heartbeats = new Heartbeats(client, () => time);
  client.emit('serverOpening', { address });
  return { client, heartbeats, after: (ms: number) => (time += ms) };
};

t.test('a server that is looked at, whether it answers or not', async (t) => {
  const { client, heartbeats, after } = given();
  for (const event of ['serverHeartbeatSucceeded', 'serverHeartbeatFailed']) {
    after(6_000);
    client.emit(event, { connectionId: address });
    t.equal(heartbeats.haveStopped, false, event);
  }
});

t.test('one that is looked at no more', async (t) => {
  const { client, heartbeats, after } = given();
  client.emit('serverOpening', { address: '127.0.0.1:27018' });
  after(10_001);
  client.emit('serverHeartbeatSucceeded', { connectionId: '127.0.0.1:27018' });
  t.equal(heartbeats.haveStopped, true);
});

t.test('one that has gone is not looked at', async (t) => {
  const { client, heartbeats, after } = given();
  client.emit('serverClosed', { address });
  after(60_000);
  t.equal(heartbeats.haveStopped, false);
});

t.test('a client whose first call finds no server, which the driver closes for good', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { serverSelectionTimeoutMS: 50 });
  t.teardown(() => client.close());
  const heartbeats = new Heartbeats(client);
  await t.rejects(client.db().command({ ping: 1 }));
  t.equal(heartbeats.haveStopped, true);
});
