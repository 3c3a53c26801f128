import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { bundleOf } from '../support/bundles.js';
import { Program, type Ended } from '../support/program.js';
import { childEnv, rollcallWithin, runScript } from './rollcall.js';

tap.test('a command that has done its work ends, whatever is still open', async (t) => {
  // As a question to a name server that does not answer, which a driver asks and nobody waits for.
  const open = 'data:text/javascript,setInterval(() => undefined, 1000)';
  const ran = await runScript(bundleOf('rollcall'), ['--version'], { NODE_OPTIONS: `--import "${open}"` });
  t.match(ran, { code: 0, out: /^\d+\.\d+\.\d+/ });
});

for (const [name, env] of [
  ['EventStoreDB', { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false' }],
  ['MongoDB', { READ_MODELS: 'mongodb', MONGODB_URL: 'mongodb://127.0.0.1:1' }],
] as const)
  tap.test(`while ${name} is away a command waits, then says what to do`, async (t) => {
    let ms = 0;
    const time = { clock: { now: () => ms }, sleep: async () => void (ms += 11_000) };
    const { code, err } = await rollcallWithin(t.testdir(), env, time)('company configure --company 7');
    t.equal(code, 1);
    const lines = err.split('\n');
    t.match(lines[0], new RegExp(`^${name} .*127\\.0\\.0\\.1:1\\. Waiting for up to 10 s\\.$`));
    t.match(lines.at(-2), /^See rollcall doctor\. If it was to change something, see/);
  });

tap.test('while MongoDB is away, a token is revoked all the same', async (t) => {
  const dataDir = t.testdir();
  await rollcallWithin(dataDir)('company configure --company 7');
  const away = rollcallWithin(dataDir, { READ_MODELS: 'mongodb', MONGODB_URL: 'mongodb://127.0.0.1:1' });
  t.match(await away('token revoke --jti lost'), { code: 0, err: /^No token with this id[^\n]*\n$/ });
  t.match((await away('audit log')).out, / ApiTokenRevoked /);
});

tap.test('a reader that is slow gets all, also the end behind a full pipe', async (t) => {
  const slow = '{ head -c 65536 /dev/zero; "$0" "$1" --help; } | { sleep 3; tail -c +65537; }';
  const args = ['-c', slow, process.execPath, bundleOf('rollcall')];
  t.match(await new Program(args, { command: 'bash', quiet: true }).ended, { out: /^Usage: rollcall/ });
});

tap.test('what cannot be written is one line', async (t) => {
  const args = ['-c', 'exec "$0" "$1" --help >/dev/full', process.execPath, bundleOf('rollcall')];
  const { code, err } = await new Program(args, { command: 'bash', quiet: true }).ended;
  t.equal(code, 1);
  t.match(err, /^What was asked for could not be written: ENOSPC.*\n$/);
});

tap.test('a closed stdout or stderr changes neither the work nor the exit code', async (t) => {
  const dataDir = t.testdir();
  const into = (words: string, where: string): Promise<Ended> =>
    new Program(
      [
        '-c',
        `exec {closed}> >(true); wait $!; exec "$0" "$1" ${words} ${where}`,
        process.execPath,
        bundleOf('rollcall'),
      ],
      {
        command: 'bash',
        quiet: true,
        env: childEnv({ DATA_DIR: dataDir }),
      },
    ).ended;
  t.match(await into('company configure --company 7 --name Seven', '>&$closed'), { code: 0 });
  t.match(await into('doctor', '>&$closed'), { code: 1, err: /checks? (is|are) red/ });
  t.match(await into('company show --company 8', '2>&$closed >/dev/null'), { code: 1 });
  t.match(await into('company show --company 7', ''), { code: 0, out: /Seven/ }, 'the change was made');
});

tap.test('a check that is interrupted leaves neither its mark nor its temporary folder', async (t) => {
  const folder = t.testdir({ data: {}, temporary: {} });
  const [dataDir, temporary] = [join(folder, 'data'), join(folder, 'temporary')];
  await rollcallWithin(dataDir)('company configure --company 7');
  await rollcallWithin(dataDir)('projections rebuild');
  const marks = (): string[] => readdirSync(dataDir).filter((name) => name.startsWith('.in-use-'));
  const verify = (seen: string, signal: NodeJS.Signals) => {
    const interrupt = `data:text/javascript,import { readdirSync, readlinkSync } from 'node:fs';
      const linked = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } };
      let turns = 0;
      const look = () => ${seen} && ++turns > 1 ? process.kill(process.pid, '${signal}') : setImmediate(look).unref();
      setImmediate(look).unref();`;
    const env = childEnv({
      DATA_DIR: dataDir,
      TMPDIR: temporary,
      NODE_OPTIONS: `--import "${interrupt.replace(/\n +/g, '')}"`,
    });
    return new Program([bundleOf('rollcall'), 'audit', 'verify'], { env, quiet: true }).ended;
  };
  for (const [within, prefix] of [
    [dataDir, '.in-use-'],
    [temporary, 'rollcall-verify-'],
  ] as const) {
    const ended = await verify(
      `readdirSync('${within}').some((name) => name.startsWith('${prefix}'))`,
      'SIGTERM',
    );
    t.equal(ended.signal, 'SIGTERM', prefix);
    t.strictSame([marks(), readdirSync(temporary)], [[], []]);
  }
  // The store is open, and has no name, before anything is compared.
  const isOpen = `readdirSync('/proc/self/fd').some((fd) => /rollcall-verify-.*data.mdb .deleted/.test(linked(fd)))`;
  t.equal((await verify(isOpen, 'SIGKILL')).signal, 'SIGKILL');
  const left = readdirSync(temporary, { recursive: true }).map(String);
  t.notOk(
    left.some((name) => name.endsWith('data.mdb')),
    'nor does one that is killed leave a copy',
  );
});
