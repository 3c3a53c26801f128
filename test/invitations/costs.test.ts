import type { EventLog } from '@rollcall/application';
import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { person, startSender } from './sender.support.js';

const [a, b, c] = [person('A'), person('B'), person('C')];

t.test('the last event of the company, which may be large, is not read again for each mail', async (t) => {
  const read: number[] = [];
  const readStream = (log: EventLog): EventLog['readStream'] =>
    async function* (stream, options) {
      for await (const event of log.readStream(stream, options)) {
        if (stream === 'company-7') read.push(event.revision);
        yield event;
      }
    };
  const sender = await startSender(t, { log: (log) => withMembers(log, { readStream: readStream(log) }) });
  await sender.put(a, b);
  t.equal((await sender.look(1)).kind, 'sent');
  read.length = 0;
  t.equal((await sender.look(2)).kind, 'sent');
  t.strictSame(read, []);
  await sender.put(a, b, c);
  t.equal((await sender.look(3)).kind, 'sent');
  t.equal(new Set(read).size, 2, 'the head that is known, and what is new');
});
