import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { childEnv } from '../cli/rollcall.js';
import { entryOf, startChild, type Part } from '../servers/child-process.js';
import { Program as Process, type Ended } from '../support/program.js';
import { until } from '../support/until.js';
import { rollcallCommand } from '../support/bundles.js';

const parts: readonly Part[] = ['standalone', 'api', 'projector', 'worker'];

interface Program {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Sent when it says so. */
  readonly endAt?: RegExp;
}

/** Runs a program to its end. */
async function ran({ args, env, endAt }: Program): Promise<Ended> {
  const child = new Process(args, { env: childEnv({ PORT: '0', LOG_LEVEL: 'silent', ...env }), quiet: true });
  if (endAt)
    await child.says(endAt).then(
      () => child.signal('SIGTERM'),
      () => undefined,
    );
  return child.ended;
}

const runs = (part: Part, env: Readonly<Record<string, string>>, endAt?: RegExp): Promise<Ended> =>
  ran({ args: [entryOf(part)], env, ...(endAt && { endAt }) });

tap.test('a wrong value, or one that is missing, is told in one line that names its variable', async (t) => {
  const wrong: readonly (readonly [Part, Record<string, string>, RegExp])[] = [
    ...parts.map((part) => [part, { LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of .*\n$/] as const),
    ['worker', { QUEUE: 'post' }, /^QUEUE must be one of embedded, nats\n$/],
    ['worker', { WORKER_CONCURRENCY: '0' }, /^WORKER_CONCURRENCY must be >= 1\n$/],
    ['worker', { WORKER_CONCURRENCY: 'many' }, /^WORKER_CONCURRENCY must be integer\n$/],
    ['standalone', { WORKER_CONCURRENCY: '65' }, /^WORKER_CONCURRENCY must be <= 64\n$/],
    ['projector', { READ_MODELS: 'paper' }, /^READ_MODELS must be one of .*\n$/],
    ['worker', { QUEUE: 'nats' }, /^NATS_URL must be set for QUEUE=nats\n$/],
    [
      'projector',
      { EVENT_LOG: 'eventstoredb' },
      /^EVENTSTOREDB_URL must be set for EVENT_LOG=eventstoredb\n$/,
    ],
    [
      'api',
      { READ_MODELS: 'mongodb', MONGODB_URL: '' },
      /^MONGODB_URL must be set for READ_MODELS=mongodb\n$/,
    ],
    ['api', { PORT: 'three' }, /^PORT must be integer\n$/],
    [
      'api',
      { EVENT_LOG: 'paper', PORT: '-1' },
      /^(?=.*EVENT_LOG must be one of )(?=.*PORT must be >= 0).*\n$/,
    ],
  ];
  for (const [part, env, line] of wrong) {
    const dataDir = t.testdir();
    const { code, err, out } = await runs(part, { DATA_DIR: dataDir, ...env });
    t.equal(code, 2, `${part} ${JSON.stringify(env)}`);
    t.match(err, line);
    t.equal(out, '');
    t.same(readdirSync(dataDir), [], 'nothing was begun');
  }
});

tap.test('a data folder that cannot be one', async (t) => {
  const dataDir = join(t.testdir({ file: 'mine' }), 'file');
  for (const part of parts) {
    const { code, err } = await runs(part, { DATA_DIR: dataDir });
    t.equal(code, 1, part);
    t.match(err, /^DATA_DIR .*file is no folder that this user can write to \(E[A-Z]+\)\.\n$/);
  }
});

tap.test('no process starts on a copy, however it is started', async (t) => {
  const dataDir = t.testdir({ 'manifest.json': '{}' });
  for (const args of [[rollcallCommand, 'start'], ...parts.map((part) => [entryOf(part)])]) {
    const { code, err, out } = await ran({
      args,
      env: { DATA_DIR: dataDir },
      endAt: /( runs|listens on .*)\n/,
    });
    t.match(
      { code, err, out },
      { code: 1, err: /^DATA_DIR .* is a copy: use it with `rollcall restore`\.\n$/, out: '' },
    );
    t.same(readdirSync(dataDir), ['manifest.json']);
  }
});

tap.test('no process starts where a restore is unfinished', async (t) => {
  const env = { DATA_DIR: t.testdir({ '.restoring': {} }) };
  const { code, err } = await ran({
    args: [rollcallCommand, 'start'],
    env,
    endAt: /( runs|listens on .*)\n/,
  });
  t.match({ code, err }, { code: 1, err: /^DATA_DIR .* has an unfinished restore: run the same .*\.\n$/ });
  t.same(readdirSync(env.DATA_DIR), ['.restoring']);
});

tap.test('each ends gracefully', async (t) => {
  for (const part of parts) {
    const { code, err } = await runs(part, { DATA_DIR: t.testdir() }, /( runs|listens on .*)\n/);
    t.equal(code, 0, part);
    t.equal(err, '');
  }
});

tap.test('each ends gracefully while it starts', async (t) => {
  for (const part of parts) {
    const child = new Process([entryOf(part)], {
      env: childEnv({ PORT: '0', LOG_LEVEL: 'info', DATA_DIR: t.testdir() }),
    });
    const begun = (): boolean => readdirSync(t.testdirName).length > 0 || child.hasEnded;
    await until('it has begun', begun, { everyMs: 1 });
    child.signal('SIGTERM');
    const { code, signal } = await child.ended;
    t.same([code, signal], [0, null], part);
  }
});

tap.test('rollcall start', async (t) => {
  for (const [part, says] of [
    ['api', /^The api listens on http:\/\/127\.0\.0\.1:\d+\n$/],
    ['projector', /^The projector runs\n$/],
    ['worker', /^The worker runs\n$/],
  ] as const) {
    const { code, out, err } = await ran({
      args: [rollcallCommand, 'start', part],
      env: { DATA_DIR: t.testdir() },
      endAt: says,
    });
    t.equal(code, 0, part);
    t.match(out, says);
    t.equal(err, '');
  }
  for (const args of [['nobody'], ['api', 'worker']]) {
    const { code, err } = await ran({ args: [rollcallCommand, 'start', ...args], env: {} });
    t.equal(code, 2);
    t.match(err, /^error: .*argument/);
  }
  const failed = await ran({ args: [rollcallCommand, 'start', 'api'], env: { LOG_LEVEL: 'loud' } });
  t.match(failed, { code: 2, err: /^LOG_LEVEL must be one of .*\n$/ }, 'as of every other command');
});

tap.test('several of each on one empty folder', async (t) => {
  const dataDir = t.testdir();
  const children = await Promise.all([
    startChild('worker', { dataDir }),
    startChild('worker', { dataDir }),
    startChild('projector', { dataDir }),
    startChild('projector', { dataDir }),
  ]);
  t.same(await Promise.all(children.map((child) => child.stop())), [0, 0, 0, 0]);
});
