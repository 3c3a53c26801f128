import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { blocksOf, masked } from './readme.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const readme = join(repository, 'README.md');
const [install, start] = blocksOf(readme, 'Start')[0]?.commands.trim().split('\n') ?? [];
const administration = join(repository, 'docs', 'administration.md');
const story = [...blocksOf(readme, 'Quickstart'), ...blocksOf(administration, 'Your own company')];

/** A reader's folder: everything of the repository but its data, which are made there. */
function checkout(t: Test): string {
  const folder = t.testdir();
  for (const name of readdirSync(repository))
    if (name !== 'data' && name !== '.git') symlinkSync(join(repository, name), join(folder, name));
  return folder;
}

/** A terminal: bash in a process group of its own, which ends with the test. It runs the Node.js that this test runs. */
function terminal(t: Test, cwd: string, port: string) {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env = { PATH: path, HOME: cwd, PORT: port, npm_config_update_notifier: 'false' };
  const child = spawn('bash', ['--norc', '-eo', 'pipefail'], { cwd, env, detached: true });
  const signal = (name: NodeJS.Signals): void => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, name);
  };
  t.teardown(() => signal('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  return { child, said, signal, ended: once(child, 'close') };
}
type Terminal = ReturnType<typeof terminal>;

/** Pastes `npm start`; resolves with the port where it listens. */
async function started({ child, said, ended }: Terminal): Promise<string> {
  child.stdin.end(`${start}\n`);
  const over = ended.then(() => Promise.reject(new Error(`npm start has ended:\n${said.err}`)));
  for (;;) {
    const [, port] = /^Rollcall listens on http:\/\/127\.0\.0\.1:(\d+) /m.exec(said.out) ?? [];
    if (port !== undefined) return port;
    await Promise.race([once(child.stdout, 'data'), over]);
  }
}

/** Pastes everything, with a mark behind each block; resolves with what each block printed. */
async function pasted({ child, said, ended }: Terminal, blocks: readonly string[]): Promise<string[]> {
  child.stdin.end(blocks.map((commands) => `${commands}\nprintf '\\036'\n`).join(''));
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`A block of the README ended with ${code}:\n${said.out}\n${said.err}`);
  return said.out.split('\x1e');
}

const rowsOf = (text: string): Record<string, unknown>[] => JSON.parse(text) as Record<string, unknown>[];

tap.test("the README's story, pasted as it stands", { timeout: 300_000 }, async (t) => {
  t.strictSame([install, start], ['npm ci', 'npm start'], 'two lines to start');
  t.ok(story.filter(({ answer }) => answer !== undefined).length >= 8, 'its answers were found');
  const folder = checkout(t);
  const server = terminal(t, folder, '0');
  const port = await started(server);

  const asked = ['api $URL/Company/1/Employee', 'api "$URL/Company/1/ApiCalls"', 'cat data/demo-token'];
  const commands = story.map((block) => block.commands);
  const printed = await pasted(terminal(t, folder, port), [...commands, ...asked]);
  const sent = commands.join('');
  for (const [index, { answer, commands: block }] of story.entries()) {
    if (answer === undefined) continue;
    t.equal(masked(printed[index] ?? '', sent), masked(answer, sent), block.trim().split('\n').at(-1) ?? '');
  }

  const [employees = '', calls = '', token = ''] = printed.slice(commands.length);
  t.strictSame(
    rowsOf(employees).map(({ EmployeeID }) => EmployeeID),
    ['A-1', 'A-3', 'A-4'],
    'whoever was sent is there',
  );
  const sets = rowsOf(calls).filter(({ Method }) => /Employee$|undo/.test(String(Method)));
  t.strictSame(
    sets.map(({ Inserted, Removed }) => [Inserted, Removed]).reverse(),
    [
      [3, 0],
      [1, 1],
      [0, 0],
      [0, 3],
      [3, 0],
    ],
    'sent, changed, the same again, removed, taken back',
  );
  t.notOk(printed.slice(0, commands.length).join('').includes(token.trim()), 'the token is never printed');

  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const left = files.map(({ name }) => `/${name}`);
  t.ok(left.length >= 5, 'it leaves files');
  const ignored = readFileSync(join(repository, '.gitignore'), 'utf8').split('\n');
  t.strictSame(
    left.filter((name) => !ignored.includes(name)),
    [],
    'which git ignores',
  );

  server.signal('SIGINT');
  await server.ended;
  t.notMatch(server.said.out, /"level":[456]0/, 'nothing is amiss in its log');
  await t.rejects(fetch(`http://127.0.0.1:${port}/health/live`), 'Ctrl-C has ended it');
  t.match(readFileSync(join(folder, 'data', 'demo-token'), 'utf8'), token.trim(), 'its data stay');
});
