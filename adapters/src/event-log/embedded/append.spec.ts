import t from 'tap';
import { appendToStore } from './read.js';
import { openStore } from './store.js';

t.test('an append that fails says which error of the file system it was', async (t) => {
  const store = await openStore(t.testdir(), { sync: false });
  t.teardown(() => store.close());
  const full = Object.assign(new Error('No space left on device'), { code: 28 });
  const failing = { ...store, write: () => Promise.reject(full) };
  const append = appendToStore(failing, { stream: 'company-7', name: 'company-7' }, 'no-stream', [
    {
      id: '01890000-0000-7000-8000-000000000001',
      type: 'tested',
      contentType: 'json',
      data: Buffer.from('{}'),
      metadata: Buffer.from('{}'),
    },
  ]);
  await t.rejects(append, {
    name: 'EventLogUnavailable',
    message: 'The event log could not write: ENOSPC',
    cause: full,
  });
});
