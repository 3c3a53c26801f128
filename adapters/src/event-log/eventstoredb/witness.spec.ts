import { LogWentBack } from '@rollcall/application';
import t from 'tap';
import { Witness, type Seen } from './witness.js';

const event: Seen = { stream: 'company-1', revision: 3, id: 'a', position: 7n };

function begin(stored: { readonly id: string } | undefined = event) {
  const server = { connection: 1, looks: 0 };
  const witness = new Witness({
    connection: () => server.connection,
    read: () => {
      server.looks += 1;
      return Promise.resolve(stored);
    },
    isDamaged: () => Promise.resolve(false),
  });
  return { server, witness };
}

t.test(
  'what was first seen over the connection of appends needs no look, until that is another one',
  async (t) => {
    const { server, witness } = begin();
    await witness.verify();
    witness.saw(event, 1);
    await witness.verify();
    t.equal(server.looks, 0);
    server.connection = 2;
    await witness.verify();
    await witness.verify();
    t.equal(server.looks, 1);
  },
);

t.test('what was first seen elsewhere, or over a connection that is lost, is looked for once', async (t) => {
  for (const over of [undefined, 0]) {
    const { server, witness } = begin();
    witness.saw(event, over);
    witness.saw({ ...event, revision: 4, position: 8n }, 1);
    await witness.verify();
    await witness.verify();
    t.equal(server.looks, 1);
  }
});

t.test('what is gone over another connection stays gone, whatever is seen, until it is found', async (t) => {
  const stored = { id: 'another' };
  const { server, witness } = begin(stored);
  witness.saw(event, 1);
  await witness.verify();
  server.connection = 2;
  await t.rejects(witness.verify(), LogWentBack);
  witness.saw({ ...event, revision: 4, id: 'another', position: 8n }, 2);
  server.connection = 1;
  const missing = { stream: event.stream, revision: event.revision, id: event.id };
  await t.rejects(witness.verify(), { name: 'LogWentBack', missing });
  stored.id = event.id;
  await witness.verify();
});
