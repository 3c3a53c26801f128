import { Sweeper } from '@rollcall/projector';
import t from 'tap';
import { append, largeRefusal, openRig } from './projector.support.js';
import { withMembers } from '../support/with-members.js';

const DAY = 24 * 60 * 60_000;

t.test('a sweeper whose clock is a day ahead keeps the chunks of an append in flight', async (t) => {
  const on = await openRig(t);
  const ahead = { ...on, clock: { now: () => on.clock.now() + 2 * DAY } };
  const sweeper = new Sweeper(ahead);
  const swept: (readonly string[])[] = [];
  const log = withMembers(on.log, {
    append: async (stream, ...given) => {
      if (stream === 'operation-1') swept.push(await sweeper.sweep());
      return on.log.append(stream, ...given);
    },
  });
  await append({ log, clock: on.clock }, 'operation-1', largeRefusal());
  t.strictSame(swept, [[]]);
  t.strictSame(await sweeper.sweep(), [], 'and later, since the event refers to them');
});
