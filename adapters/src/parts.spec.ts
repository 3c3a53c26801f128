import t from 'tap';
import { openInParts } from './parts.js';

t.test('each part is closed, the last first, also where another one throws at once', async (t) => {
  const closed: string[] = [];
  const all = await openInParts(async (opened) => {
    opened({ close: () => Promise.resolve(void closed.push('log')) });
    opened({
      close: () => {
        throw new Error('a full disk');
      },
    });
    opened({ close: () => Promise.reject(new Error('an outage')) });
    return Promise.resolve({});
  });
  await t.rejects(all.close(), { message: 'an outage' });
  t.same(closed, ['log']);
});
