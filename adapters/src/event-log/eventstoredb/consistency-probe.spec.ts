import { LogWentBack } from '@rollcall/application';
import t from 'tap';
import { ConsistencyProbe, type Seen } from './consistency-probe.js';

const event: Seen = { stream: 'company-1', revision: 3, id: 'a', position: 7n };

function begin(stored: { readonly id: string } | undefined = event) {
  const server = { connection: 1, reads: 0 };
  const probe = new ConsistencyProbe({
    connection: () => server.connection,
    read: () => {
      server.reads += 1;
      return Promise.resolve(stored);
    },
    isDamaged: () => Promise.resolve(false),
  });
  return { server, probe };
}

t.test(
  'what was first seen over the connection of appends needs no look, until that is another one',
  async (t) => {
    const { server, probe } = begin();
    await probe.verify();
    probe.saw(event, 1);
    await probe.verify();
    t.equal(server.reads, 0);
    server.connection = 2;
    await probe.verify();
    await probe.verify();
    t.equal(server.reads, 1);
  },
);

t.test('what was first seen elsewhere, or over a connection that is lost, is looked for once', async (t) => {
  for (const over of [undefined, 0]) {
    const { server, probe } = begin();
    probe.saw(event, over);
    probe.saw({ ...event, revision: 4, position: 8n }, 1);
    await probe.verify();
    await probe.verify();
    t.equal(server.reads, 1);
  }
});

t.test('what is gone over another connection stays gone, whatever is seen, until it is found', async (t) => {
  const stored = { id: 'another' };
  const { server, probe } = begin(stored);
  probe.saw(event, 1);
  await probe.verify();
  server.connection = 2;
  await t.rejects(probe.verify(), LogWentBack);
  probe.saw({ ...event, revision: 4, id: 'another', position: 8n }, 2);
  server.connection = 1;
  const missing = { stream: event.stream, revision: event.revision, id: event.id };
  await t.rejects(probe.verify(), { name: 'LogWentBack', missing });
  stored.id = event.id;
  await probe.verify();
});

t.test('what is read over a new connection does not stand for what was known before it', async (t) => {
  const { server, probe } = begin({ id: 'newer' });
  probe.saw(event, 1);
  await probe.verify();
  server.connection = 2;
  probe.saw({ ...event, id: 'newer', position: 8n }, undefined);
  await t.rejects(probe.verify(), LogWentBack);
});

t.test('once what was known before is found, what was read meanwhile counts', async (t) => {
  const stored = { id: event.id };
  const { server, probe } = begin(stored);
  probe.saw(event, 1);
  server.connection = 2;
  probe.saw({ ...event, revision: 4, position: 8n }, 2);
  await probe.verify();
  t.equal(server.reads, 1);
  server.connection = 3;
  stored.id = 'another';
  await t.rejects(probe.verify(), { name: 'LogWentBack', missing: { revision: 4 } });
});
