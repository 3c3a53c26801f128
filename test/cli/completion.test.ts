import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { definedCommands } from './commands.js';
import { rollcallWithin } from './rollcall.js';

const rollcall = rollcallWithin('/nowhere');

async function scriptFor(t: Test, shell: string): Promise<string> {
  const { code, out, err } = await rollcall(['completion', shell]);
  t.match({ code, err }, { code: 0, err: '' }, shell);
  const file = join(t.testdir({ 'mail one.txt': '', 'mail two.txt': '' }), `rollcall.${shell}`);
  writeFileSync(file, out);
  return file;
}

/** What a shell says; undefined where it is not installed. */
function shell(name: string, args: readonly string[], cwd?: string): string | undefined {
  const { error, stdout, stderr, status } = spawnSync(name, args, { cwd, encoding: 'utf8' });
  if (error) return undefined;
  return status === 0 ? stdout : `exit code ${status}: ${stderr}`;
}

tap.test('bash completes what is defined', async (t) => {
  const file = await scriptFor(t, 'bash');
  const completed = (...words: readonly string[]): string[] => {
    const line =
      'source "$1"; shift; COMP_WORDS=(rollcall "$@"); COMP_CWORD=$#; _rollcall 2>&1; printf "%s\\n" "${COMPREPLY[@]}"';
    const said = shell('bash', ['-c', line, 'bash', file, ...words], t.testdirName) ?? '';
    return said.split('\n').filter(Boolean);
  };
  for (const { name, command } of await definedCommands()) {
    const flags = command.options.map(({ long }) => long);
    t.strictSame(completed(...name.split(' '), '--'), [...flags, '--help'], name);
  }
  const names = (await definedCommands()).map(({ name }) => name.split(' ')[0] ?? '');
  const all = [...new Set(names), 'help'];
  t.strictSame(completed('').sort(), [...all, '--version', '--help'].sort());
  t.strictSame(completed('help', '').sort(), all.filter((name) => name !== 'help').sort());
  t.strictSame(completed('comp'), ['company', 'completion']);
  t.strictSame(completed('company', 'sh'), ['show']);
  t.strictSame(completed('company', 'help', 'sh'), ['show']);
  t.strictSame(completed('completion', ''), ['bash', 'zsh', 'fish', '--help']);
  t.strictSame(completed('imports', 'list', '--state', ''), [
    'pending',
    'held',
    'done',
    'failed',
    'cancelled',
    'rejected',
  ]);
  t.strictSame(completed('imports', 'list', '--state', '=', 'ca'), ['cancelled']);
  t.strictSame(completed('imports', 'list', '--state', '='), [
    'pending',
    'held',
    'done',
    'failed',
    'cancelled',
    'rejected',
  ]);
  t.strictSame(completed('company', 'configure', '--auto-invite', ''), ['on', 'off']);
  t.strictSame(completed('company', 'show', '--company', ''), [], 'nobody can guess an id');
  t.strictSame(completed('user', 'add', '--name', 'company', '--ro'), ['--role'], 'a value is no command');
  t.strictSame(completed('company', 'template', '--text-file', 'mail '), ['mail one.txt', 'mail two.txt']);
  const ofBash = shell('bash', ['-c', 'source "$1"; complete -p rollcall', 'bash', file]) ?? '-o default';
  t.match(ofBash, /-o default/, 'a file, as of an import, where no word fits');
  t.strictSame(completed('user', 'add', '--name', '$(touch run)', ''), completed('user', 'add', ''));
  t.notOk(shell('ls', ['-1', t.testdirName])?.includes('run'), 'nothing that was typed is run');
});

tap.test('zsh and fish understand theirs, where they are installed', async (t) => {
  const forZsh = await scriptFor(t, 'zsh');
  t.equal(shell('zsh', ['-n', forZsh]) ?? '', '', 'zsh');
  const forFish = await scriptFor(t, 'fish');
  t.equal(shell('fish', ['-n', forFish]) ?? '', '', 'fish');
  const completed = shell('fish', ['-c', `source ${forFish}; complete -C "rollcall imports list --state c"`]);
  t.match(completed ?? 'cancelled', /^cancelled/);
  const commands = shell('fish', ['-c', `source ${forFish}; complete -C "rollcall company s"`]);
  t.match(commands ?? 'show\tthe settings', /^show\tthe settings/);
});

tap.test('another shell is wrong use', async (t) => {
  t.match(await rollcall('completion tcsh'), {
    code: 2,
    out: '',
    err: /Allowed choices are bash, zsh, fish/,
  });
  t.match(await rollcall('completion'), { code: 2, out: '', err: /missing required argument 'shell'/ });
});
