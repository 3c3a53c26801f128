import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { definedCommands } from './commands.js';
import { rollcallWithin } from './rollcall.js';

const operation = '019aa2f0-5c00-7000-8000-000000000001';
const long = (length: number): string => 'x'.repeat(length);

/** What each command needs besides the option that is tried. */
const needed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'company configure': { '--company': '7' },
  'company template': { '--company': '7', '--language': '1045' },
  'company show': { '--company': '7' },
  'user add': { '--company': '7', '--name': 'HR' },
  'user list': { '--company': '7' },
  'user revoke': { '--user': '1' },
  'token issue': { '--user': '1' },
  'token revoke': { '--jti': 'one' },
  'operator revoke': { '--name': 'Ada' },
  'operator link': { '--name': 'Ada', '--role': 'Operator', '--company': '7' },
  'imports show': { '--operation': operation },
  'imports watch': { '--company': '7' },
  'imports retry': { '--operation': operation },
  'imports cancel': { '--operation': operation },
  'imports undo': { '--operation': operation, '--reason': 'why' },
  'imports approve': { '--operation': operation, '--reason': 'why' },
  'imports reject': { '--operation': operation, '--reason': 'why' },
  'invitations list': { '--company': '7' },
  'invitations show': { '--company': '7', '--number': '1' },
  'invitations hold': { '--company': '7' },
  'invitations release': { '--company': '7' },
  'invitations resend': { '--company': '7', '--number': '1' },
  'invitations cancel': { '--company': '7', '--number': '1' },
  'import employees': { '--company': '7' },
  'import managers': { '--company': '7' },
  'webhook add': { '--company': '7', '--url': 'https://hr.example.com/', '--events': 'import.failed' },
  'webhook list': { '--company': '7' },
  'webhook deliveries': { '--company': '7' },
  'webhook remove': { '--company': '7', '--webhook': '1' },
  'webhook enable': { '--company': '7', '--webhook': '1' },
  'webhook rotate': { '--company': '7', '--webhook': '1' },
  'webhook test': { '--company': '7', '--webhook': '1' },
  'audit log': { '--company': '7' },
  'audit state': { '--company': '7' },
  'audit diff': { '--company': '7', '--from': '2026-11-21' },
  'audit history': { '--company': '7', '--employee': 'A-1' },
  'audit explain': { '--operation': operation },
  'audit export': { '--company': '7', '--out': 'export' },
  'audit import': { '--from': 'export' },
  move: { '--from': 'embedded', '--to': 'eventstoredb' },
  'audit prove': { '--event': operation },
  'audit verify-proof': { '--file': 'proof.json' },
  backup: { '--to': 'copy' },
  restore: { '--from': 'copy', '--data-dir': 'new' },
};

const integers = ['0', '-1', '1.5', '1e3', 'seven', '', ' ', '9007199254740992'];
const words = ['', 'maybe', 'ON'];
const moments = ['', 'yesterday', '2026-02-30', '2026-11-21T08:00:00', '2026-11-21T08:00:00+01:00'];
const paths = ['', ' '];
const dimensions = ['A,,B', long(51), 'A,a', 'A, '];

/** Values that no installation takes, for each option that has one; those of one command go before. */
const bad: Readonly<Record<string, readonly string[]>> = {
  '--company': integers,
  '--user': integers,
  '--number': integers,
  '--top': integers,
  '--language': integers,
  '--event': ['', 'x', `${operation}0`],
  '--operation': ['', 'x', `${operation}0`, operation.replace('9', 'g')],
  '--reason': ['', ' ', long(501)],
  'user add --name': ['', ' ', long(151)],
  'company configure --name': ['', ' ', long(151)],
  'operator link --name': ['', ' ', long(151)],
  'operator revoke --name': ['', ' ', long(151)],
  '--role': ['', 'Boss', 'hrintegration'],
  '--expires': ['', '0d', '1', 'soon', '11000d', '-1d', '1.5h'],
  '--jti': ['', ' ', long(256)],
  '--employee': ['', ' '],
  'imports list --state': ['', 'lost', 'Pending'],
  'invitations list --state': ['', 'lost', 'failed'],
  '--time-zone': ['', 'Mars/Base', '+02:00'],
  '--business-days': ['', 'Mon-Funday', 'Mon-Tue-Wed', '1-5'],
  '--business-hours': ['', '8-17', '17:00-08:00', '08:00-08:00', '08:00-25:00'],
  '--holidays': ['', '2026-02-30', '24.12.2026', '2026-12-24;2026-12-25'],
  '--integration': words,
  '--hierarchy': words,
  '--auto-invite': words,
  '--department-dimensions': dimensions,
  '--division-dimensions': dimensions,
  '--project-dimensions': dimensions,
  '--languages': ['', 'en', '1045:en', '0:en:English', '1:en:x,1:da:y', `1:en:${long(101)}`],
  '--batch-limit': ['', '-3', '25%', 'all', 'Infinity'],
  '--keep-calls': ['', '0d', '400', '-1d', '1.5d', '100000d', 'ever'],
  '--for': ['', '0h', '1', 'soon', '-1h', '1.5h'],
  '--batch-limit-from': ['', '-1', '1.5', 'all'],
  '--over-limit': ['', 'Hold', 'ask'],
  '--notify': ['', 'none', 'hr@'],
  '--queue-threshold': ['', '0', '-1', '1.5', 'all'],
  '--subject': ['', ' ', long(201), 'Hello {{Nobody}}', 'two\nlines'],
  '--text-file': ['', '/nowhere/at/all', '/'],
  '--html-file': ['', '/nowhere/at/all', '/'],
  '--sender': ['', 'nobody', 'a@', 'A <b'],
  '--mapping': ['', '/nowhere/at/all', '/'],
  '--url': [
    '',
    'hr.example.com',
    'ftp://hr.example.com',
    'https://a:b@hr.example.com',
    'https://hr.example.com/#x',
  ],
  '--events': ['', 'import.failure', 'import.failed,'],
  '--webhook': integers,
  '--part': ['', 'people', 'employees,'],
  '--revision': ['', '-1', '1.5', 'first'],
  'audit diff --from': ['', 'yesterday', '2026-02-30'],
  'audit diff --to': ['', 'yesterday', '2026-02-30'],
  '--out': paths,
  'move --to': ['', 'disk'],
  'audit log --from': moments,
  'audit log --to': moments,
  'backup --to': paths,
  '--from': paths,
  '--data-dir': paths,
  '--keys': paths,
  '--anchor': ['', '/nowhere/at/all', '/'],
  '--file': paths,
  '--at': ['', 'api', 'ftp://api:1', 'http://api:1/metrics', 'http://'],
  '--type': ['', 'Nothing', 'EmployeeSetReplaced,', 'employeesetreplaced'],
};

interface Tried {
  /** Up to the option. */
  readonly before: readonly string[];
  readonly flag: string;
  readonly values: readonly string[];
}

/** Each option of each command, with what no installation takes for it. */
async function tried(): Promise<Tried[]> {
  const commands = await definedCommands();
  return commands.flatMap(({ name, command }) => {
    const taking = command.options.filter(({ required, optional }) => required || optional);
    return taking.map(({ long: flag = '' }) => ({
      before: [...name.split(' '), ...besides(name, flag)],
      flag,
      values: bad[`${name} ${flag}`] ?? bad[flag] ?? [],
    }));
  });
}

const filesOf = (name: string): string[] =>
  name.startsWith('import ') ? [fileURLToPath(import.meta.url)] : [];

/** What a command needs besides one of its options. */
function besides(name: string, flag: string): string[] {
  if (name === 'imports watch' && flag === '--operation') return [];
  const others = Object.entries(needed[name] ?? {}).filter(([other]) => other !== flag);
  return [...filesOf(name), ...others.flat()];
}

tap.test('a value that no installation takes is wrong use: exit code 2, nothing is read', async (t) => {
  const dataDir = t.testdir();
  // With an installation that is not there, whatever opens a store answers 1.
  const rollcall = rollcallWithin(join(dataDir, 'nowhere'));
  for (const { before, flag, values } of await tried()) {
    t.ok(values.length > 0, `${before.join(' ')} ${flag} has a row of bad values in this table`);
    for (const value of values) {
      const line = [...before, `${flag}=${value}`];
      const { code, out, err } = await rollcall(line);
      t.match({ code, out, err }, { code: 2, out: '', err: flag }, line.join(' ').slice(0, 120));
    }
  }
  t.same(readdirSync(dataDir), []);
});

tap.test('each command without a required option, and with one that it does not have', async (t) => {
  const rollcall = rollcallWithin(join(t.testdir(), 'nowhere'));
  for (const { name, command } of await definedCommands()) {
    const words = name.split(' ');
    for (const { flags, long: flag = '' } of command.options.filter(({ mandatory }) => mandatory)) {
      const ran = await rollcall([...words, ...besides(name, flag)]);
      t.match(ran, { code: 2, err: `required option '${flags}'` }, `${name} without ${flags}`);
    }
    const all = [...words, ...besides(name, '')];
    t.match(
      await rollcall([...all, '--colour', 'red']),
      { code: 2, err: /unknown option/ },
      `${name} --colour`,
    );
    if (command.registeredArguments.length === 0)
      t.match(await rollcall([...all, 'more']), { code: 2, err: /too many arguments/ }, `${name} more`);
  }
});

tap.test('options that do not go together', async (t) => {
  const rollcall = rollcallWithin(join(t.testdir(), 'nowhere'));
  const wrong: Readonly<Record<string, RegExp>> = {
    [`imports watch --operation ${operation} --company 7`]: /cannot be used with/,
    'imports watch': /one of '--operation <id>' and '--company <id>'/,
    'invitations show --company 7 --employee A --number 1': /cannot be used with/,
    'invitations show --company 7': /one of '--employee <id>' and '--number <n>'/,
    'invitations resend --company 7': /one of '--employee <id>' and '--number <n>'/,
    'invitations cancel --company 7': /one of '--employee <id>' and '--number <n>'/,
    'company template --company 7 --subject Hello': /--language must say/,
    'company template --company 7 --language 1 --subject Hello --show': /--show shows/,
    'audit log --company 7 --from 2026-11-22 --to 2026-11-21': /--from must not be after --to/,
    'company configure --company 7 --for 1h': /--for says how long/,
    'company configure --company 7 --department-dimensions A --project-dimensions a': /must not repeat/,
  };
  for (const [line, err] of Object.entries(wrong))
    t.match(await rollcall(line), { code: 2, out: '', err }, line);
});

tap.test('a company that is not there is a refusal, whatever is asked of it: exit code 1', async (t) => {
  const rollcall = rollcallWithin(t.testdir());
  await rollcall('company configure --company 7 --languages 1045:en:English');
  for (const { name, command } of await definedCommands()) {
    // An import looks at its file first.
    if (name.startsWith('import ')) continue;
    if (name === 'company configure' || command.options.every(({ long: flag }) => flag !== '--company'))
      continue;
    const asked = { ...needed[name], '--company': '99' };
    const lines = [Object.entries(asked).flat()];
    if (name === 'company template') lines.push([...lines.flat(), '--subject', 'Hello']);
    for (const line of lines)
      t.match(
        await rollcall([...name.split(' '), ...line]),
        { code: 1, out: '', err: /^Company 99 is not configured: see `rollcall company list`/ },
        [name, ...line].join(' '),
      );
    t.match(
      await rollcall([...name.split(' '), ...lines.flat(), '--json']),
      { code: 1, out: '' },
      `${name} --json`,
    );
  }
});
