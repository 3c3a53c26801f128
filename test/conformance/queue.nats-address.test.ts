import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openNatsQueue, parseNatsUrl } from '@rollcall/adapters';
import { readWorkerConfig } from '@rollcall/worker';

import t from 'tap';

const chosen = (NATS_URL: string, more: Record<string, string> = {}) =>
  readWorkerConfig({ QUEUE: 'nats', NATS_URL, ...more }).adapters.queue;

t.test('the queue is chosen by the environment', async (t) => {
  t.match(readWorkerConfig({}).adapters.queue, { kind: 'embedded' });
  t.strictSame(chosen('nats://127.0.0.1:4222'), { kind: 'nats', url: 'nats://127.0.0.1:4222', replicas: 1 });
  t.match(chosen('nats://a', { NATS_REPLICAS: '3' }), { replicas: 3 });
});

/** The URL in docs/production.md. */
function documented(): string {
  const page = readFileSync(new URL('../../../docs/production.md', import.meta.url), 'utf8');
  const url = page.match(/`(?<url>[^`]*:4222[^`]*)`/)?.groups?.['url'] ?? '';
  assert.ok(url.startsWith('tls://'), url);
  return url;
}

t.test('servers, with and without users, ports and encryption', async (t) => {
  for (const url of [
    'localhost',
    'localhost:4222',
    'nats://localhost/',
    'nats://[::1]:4222',
    'tls://nats.example.com:4443',
    'nats://us%40er:pass%2Fword@a:4222,nats://b:4222, c:4223',
    'tls://token@a,tls://token@b',
    documented(),
  ]) {
    t.match(chosen(url), { url }, url);
  }
  const tls = { servers: ['h1:4222', 'h2:4222'], tls: true, user: 'rollcall', pass: 'PASSWORD' };
  t.strictSame(parseNatsUrl(documented()), tls, 'the first scheme holds for the servers behind it');
});

t.test('what cannot be used is refused by its name, and its password is not repeated', async (t) => {
  for (const [url, what] of [
    ['http://a:4222', 'begins with neither'],
    ['nats://', 'is no address'],
    ['nats://a,,nats://b', 'is no address'],
    ['nats://a:99999', 'is no address'],
    ['nats://a,tls://b', 'mixes'],
    ['nats://user:secret@a,nats://user:secret2@b', 'different users'],
    ['nats://user:secret@a:4222/path', 'behind the port'],
    ['nats://user:secret@a?tls=1', 'behind the port'],
    ['nats://user:secret%@a', 'percent-encoded'],
    ['nats://:secret@a', 'a password and no user'],
    ['a,tls://b', 'mixes'],
  ] as const) {
    const problem = await openNatsQueue({ url }).then(
      () => new Error('it was taken'),
      (error: unknown) => error as Error,
    );
    t.match(problem, { name: 'ConfigInvalid', message: new RegExp(`^NATS_URL .*${what}`) }, url);
    t.notOk(problem.message.includes('secret'));
    t.throws(() => chosen(url), { name: 'ConfigInvalid' });
  }
  t.throws(() => readWorkerConfig({ QUEUE: 'nats' }), { message: 'NATS_URL must be set for QUEUE=nats' });
  t.throws(() => readWorkerConfig({ QUEUE: 'rabbit' }), { message: /^QUEUE must be one of embedded, nats/ });
  t.throws(() => chosen('nats://a', { STREAM_PREFIX: 'a.b' }), { message: /^STREAM_PREFIX .*QUEUE=nats/ });
  t.throws(() => chosen('nats://a', { NATS_REPLICAS: '0' }), { message: /^NATS_REPLICAS/ });
});
