import { text } from 'node:stream/consumers';
import tap from 'tap';
import { progressStream } from './progress.js';

const ended = { text: '<b>412</b>', isDone: true };

tap.test('what changes is said once, until it is done', async (t) => {
  const said = ['1 of 3', '1 of 3', '2 of 3'].map((each) => ({ text: each, isDone: false }));
  const look = () => Promise.resolve(said.shift() ?? ended);
  const sleep = () => Promise.resolve();
  const { signal } = new AbortController();
  const messages = (await text(progressStream({ look, signal, sleep }))).split('\n\n').filter(Boolean);
  t.strictSame(
    messages.slice(1).map((each) => JSON.parse(each.slice(6)) as object),
    [{ text: '1 of 3', isDone: false }, { text: '2 of 3', isDone: false }, ended],
  );
});

tap.test('it ends after a minute, and when nobody listens', async (t) => {
  const look = () => Promise.resolve({ text: 'still', isDone: false });
  let slept = 0;
  const sleep = (ms: number) => Promise.resolve((slept += ms));
  const { signal } = new AbortController();
  await text(progressStream({ look, signal, sleep }));
  t.equal(slept, 60_000);
  const gone = new AbortController();
  gone.abort();
  t.equal(await text(progressStream({ look, signal: gone.signal, sleep })), 'retry: 3000\n\n');
});
