import { openEmbeddedEventLog } from '@rollcall/adapters';
import { realpathSync } from 'node:fs';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { turnsOf } from '../support/turns.js';
import { collect, newEvent, put } from './event-log.support.js';

t.test('a list of streams passes those that were deleted, and leaves turns to others', async (t) => {
  const log = await openEmbeddedEventLog({ folder: realpathSync(t.testdir()) });
  t.teardown(() => log.close());
  const names = Array.from({ length: 600 }, (_, n) => `payload-${String(n).padStart(3, '0')}`);
  await Promise.all(names.map((name) => put(log, name, 'no-stream', [newEvent()])));
  await Promise.all(names.slice(0, -1).map((name) => log.deleteStream(name)));
  const { turns, result } = await turnsOf(() => collect(log.listStreams('payload-')));
  t.match(result, exactly([{ stream: 'payload-599' }]));
  t.ok(turns >= 2, `${turns} turns`);
});
