import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { type Test } from 'tap';
import { bundleOf } from '../support/bundles.js';
import { definedCommands } from './commands.js';
import { rollcallWithin, runScript } from './rollcall.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const groups = ['company', 'user', 'token', 'imports', 'invitations', 'projections', 'audit'];

/** The installed command, in a process of its own. */
const rollcall = (...args: readonly string[]) => runScript(bundleOf('rollcall'), args, {});

tap.test('help names each group, and a group its commands', async (t) => {
  const { code, out, err } = await rollcall('--help');
  t.match({ code, out, err }, { code: 0, out: /^Usage: rollcall/, err: '' });
  for (const group of groups) t.match(out, new RegExp(`^  ${group} `, 'm'));
  for (const args of [
    ['company', '--help'],
    ['help', 'company'],
  ])
    t.match(await rollcall(...args), {
      code: 0,
      out: /^Usage: rollcall company.*\n {2}configure /s,
      err: '',
    });
  const configure = { code: 0, out: /^Usage: rollcall company configure --company <id>/, err: '' };
  t.match(await rollcall('help', 'company', 'configure'), configure);
  for (const topic of [['nosuch'], ['company', 'nosuch']])
    t.match(await rollcall('help', ...topic), { code: 2, out: '', err: /unknown command 'nosuch'/ });
  t.match(await rollcall('help', '--help'), { code: 0, out: /^Usage: rollcall/ });
  t.match(await rollcall('company'), { code: 2, out: '', err: /^Usage: rollcall company/ });
});

tap.test('the version', async (t) => {
  const { version } = JSON.parse(readFileSync(`${repository}/package.json`, 'utf8')) as { version: string };
  const { code, out, err } = await rollcall('--version');
  t.match({ code, err }, { code: 0, err: '' });
  const [, shown, commit] = /^(\S+)(?: \(([0-9a-f]{7,40}(?:-dirty)?)\))?\n$/.exec(out) ?? [];
  t.equal(shown, version, out);
  const isCheckedOut = existsSync(join(repository, '.git'));
  t.equal(commit !== undefined, isCheckedOut, 'and the commit, where the build knew it');
});

/** What stands in brackets, outer ones with the inner. */
function bracketed(line: string): string {
  let depth = 0;
  return line.replace(/[^]/g, (one) => ((depth += Number(one === '[') - Number(one === ']')) > 0 ? one : ''));
}

tap.test('the contract names each command with all its options', async (t) => {
  const page = readFileSync(join(repository, 'docs/contract.md'), 'utf8').replace(/\n {2}/g, ' ');
  const lines = [...page.matchAll(/^rollcall (\S+) ?(\S*).*$/gm)];
  for (const { name, command } of await definedCommands()) {
    const [group, leaf] = name.split(' ');
    const line = lines.find(
      ([, first, next = '']) => first === group && (!leaf || next.split('|').includes(leaf)),
    );
    const named = new Set(line?.[0].match(/--[a-z-]+/g));
    const flags = command.options.map(({ long }) => long ?? '').filter((long) => long !== '--json');
    t.strictSame([line?.[1], flags.filter((flag) => !named.has(flag))], [group, []], name);
    const optional = new Set(bracketed(line?.[0] ?? '').match(/--[a-z-]+/g));
    const mandatory = command.options.filter((option) => option.mandatory && optional.has(option.long ?? ''));
    t.strictSame(mandatory, [], `${name}: what is mandatory stands in no brackets`);
  }
});

tap.test('every command but those without an answer has --json', async (t) => {
  const commands = await definedCommands();
  const without = commands.filter(({ command }) => !command.options.some(({ long }) => long === '--json'));
  t.strictSame(
    without.map(({ name }) => name),
    ['start', 'completion'],
  );
  const { out } = await rollcall('--help');
  t.match(out, /^With --json every command but start and completion prints one object\.$/m);
});

/** As a shell would split it. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

interface Described {
  readonly name: string;
  readonly option: { readonly flags: string; readonly mandatory: boolean };
}

function checkOption(t: Test, out: string, { name, option: { flags, mandatory } }: Described): void {
  const [usage = ''] = out.split('\n\n');
  const [, described = ''] = out.slice(out.indexOf(`\n  ${flags} `)).split(/\n {2}\S/);
  t.equal(described.includes('(required)'), mandatory, `${name} ${flags}`);
  t.equal(usage.replace(/\s+/g, ' ').includes(` ${flags} `), mandatory, `${flags} in the usage of ${name}`);
}

tap.test('the help of every command marks what is required, and its examples are right', async (t) => {
  // With no installation there, all that is used rightly is refused for that.
  const within = rollcallWithin(join(t.testdir(), 'nowhere'));
  for (const { name, command } of await definedCommands()) {
    const { code, out, err } = await within([...name.split(' '), '--help']);
    t.match({ code, err }, { code: 0, err: '' }, name);
    for (const option of command.options) checkOption(t, out, { name, option });
    const shown = out.split('\nExamples:\n')[1]?.trim().split('\n') ?? [];
    t.ok(shown.length > 0, `${name} has examples`);
    for (const line of shown) {
      const words = wordsOf(line.replace(/^.*[$<]\((.*)\).*$/, '$1'));
      t.strictSame(words.slice(0, 1 + name.split(' ').length), ['rollcall', ...name.split(' ')], line);
    }
  }
});
