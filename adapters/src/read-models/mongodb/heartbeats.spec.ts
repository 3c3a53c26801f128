import { EventEmitter } from 'node:events';
import t from 'tap';
import { Heartbeats } from './heartbeats.js';

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
