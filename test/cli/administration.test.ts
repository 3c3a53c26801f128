import { openAdapters } from '@rollcall/adapters';
import { readApiUsers } from '@rollcall/application';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { objectOf, rollcallOn, rollcallWithin, runScript } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

const configure = [
  ...['company', 'configure', '--company', '7', '--name', 'Øst og Vest ApS'],
  ...['--time-zone', 'Europe/Copenhagen', '--business-days', 'Mon-Thu,Sat'],
  ...['--business-hours', '07:30-16:00'],
  ...['--holidays', '2026-12-25,2026-12-24', '--integration', 'on', '--hierarchy', 'on'],
  ...['--department-dimensions', 'Department,Team', '--division-dimensions', 'Division'],
  ...['--project-dimensions', 'Project', '--languages', '1045:en:English,1041:da:Danish'],
  ...['--batch-limit', '25', '--queue-threshold', '200', '--auto-invite', 'off'],
  ...['--batch-limit-from', '4', '--over-limit', 'hold', '--notify', 'hr@example.com', '--json'],
];
const settings = {
  name: 'Øst og Vest ApS',
  timeZone: 'Europe/Copenhagen',
  businessDays: [1, 2, 3, 4, 6],
  businessHours: { from: '07:30', to: '16:00' },
  holidays: ['2026-12-24', '2026-12-25'],
  integrationEnabled: true,
  hierarchyEnabled: true,
  departmentDimensions: ['Department', 'Team'],
  divisionDimensions: ['Division'],
  projectDimensions: ['Project'],
  languages: [
    { id: 1045, label: 'English', code: 'en' },
    { id: 1041, label: 'Danish', code: 'da' },
  ],
  batchLimit: 25,
  queueThreshold: 200,
  autoInvite: false,
  batchLimitFrom: 4,
  overLimit: 'hold',
  batchLimitThen: null,
};
const notify = 'hr@example.com';

/** Every byte under a folder. */
const everything = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? everything(path) : readFileSync(path);
    }),
  );

tap.test('a company', async (t) => {
  const rollcall = rollcallWithin(t.testdir());

  const made = await rollcall(configure);
  t.match(made, { code: 0, err: '' });
  t.same(objectOf(made), { companyId: 7, changed: true, settings, notify }, 'every setting as it was given');

  t.same(
    objectOf(await rollcall(configure)),
    { companyId: 7, changed: false, settings, notify },
    'again: nothing',
  );

  const some = await rollcall(
    'company configure --company 7 --batch-limit none --reason trial --queue-threshold none --business-days none --holidays none --languages none --json',
  );
  const none = { batchLimit: null, queueThreshold: null, businessDays: [], holidays: [], languages: [] };
  t.same(objectOf(some), { companyId: 7, changed: true, settings: { ...settings, ...none }, notify });
  t.match(some.err, /^Company 7 has no batch limit: .* --batch-limit 25\.\n$/, 'said aloud');

  const bare = objectOf(await rollcall('company configure --company 8 --json'));
  t.match(bare, {
    changed: true,
    settings: { name: 'Company 8', timeZone: 'UTC', integrationEnabled: false, queueThreshold: 1000 },
  });

  t.same(objectOf(await rollcall('company show --company 7 --json')), {
    companyId: 7,
    settings: { ...settings, ...none },
    notify,
  });
  const { companies } = objectOf(await rollcall('company list --json'));
  t.match(companies, exactly([{ companyId: 7 }, { companyId: 8 }]));

  const shown = await rollcall('company show --company 7');
  t.match(shown.out, /^Company 7\n +name +Øst og Vest ApS\n/);
  t.match((await rollcall('company list')).out, /^7 +on +Europe\/Copenhagen +Øst og Vest ApS$/m);
});

tap.test('refusals: exit code 1, the reason on stderr, nothing on stdout', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  const nowhere = rollcallWithin(join(dataDir, 'nowhere'));
  t.match(await nowhere('company list --json'), { code: 1, out: '', err: /no data in .*nowhere.*DATA_DIR/ });
  t.notOk(readdirSync(dataDir).includes('nowhere'), 'a question makes no data folder');

  await rollcall('company configure --company 7');
  await rollcall('user add --company 7 --name HR');
  const refused: Readonly<Record<string, RegExp>> = {
    'company show --company 9': /Company 9 is not configured/,
    'company configure --company 7 --project-dimensions department': /--project-dimensions must not repeat/,
    'user add --company 9 --name HR': /not configured.*company configure/,
    'user list --company 9': /Company 9 is not configured/,
    'user revoke --user 2': /no API user 2/,
    'token issue --user 2': /no API user 2/,
  };
  for (const [words, err] of Object.entries(refused)) {
    t.match(await rollcall(words), { code: 1, out: '', err }, words);
  }
  const { settings: after } = objectOf(await rollcall('company show --company 7 --json'));
  t.match(after, { timeZone: 'UTC', projectDimensions: { length: 0 } }, 'nothing was changed');
});

tap.test('wrong use: exit code 2, the reason on stderr, and nothing is done', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  const wrong: Readonly<Record<string, RegExp>> = {
    '': /Usage: rollcall/,
    company: /Usage: rollcall company/,
    compnay: /unknown command 'compnay'/,
    'company show': /required option '--company <id>'/,
    'company show --company 0': /'--company <id>'.*integer from 1/,
    'company show --company 9007199254740992': /integer from 1 to 9007199254740991/,
    'company show --company 7 8': /too many arguments/,
    'company configure --company 7 --colour red': /unknown option '--colour'/,
    'company configure --company 7 --integration yes': /on or off/,
    'company configure --company 7 --business-days Mon-Funday': /Mon-Fri/,
    'company configure --company 7 --business-hours 8-17': /08:00-17:00/,
    'company configure --company 7 --holidays 2026-02-30': /that exist/,
    'company configure --company 7 --time-zone Mars/Base': /--time-zone must be the IANA name/,
    'company configure --company 7 --business-hours 17:00-08:00': /--business-hours must begin before/,
    'company configure --company 7 --languages 1:en:x,1:da:y': /--languages must name each id once/,
    'company configure --company 7 --languages en': /1045:en:English/,
    'company configure --company 7 --department-dimensions A,,B': /commas/,
    'company configure --company 7 --batch-limit -3': /percentage such as 25, or none/,
    'company configure --company 7 --batch-limit 150': /percentage from 0 to 100/,
    'company configure --company 7 --queue-threshold 0': /positive integer, or none/,
    'user add --company 7 --name HR --role Boss': /Allowed choices are HRIntegration/,
    'token issue --user 1 --expires soon': /365d/,
    'token issue --user 1 --expires 11000d': /ten years/,
    'audit log --company 7 --type Nothing':
      /no event type "Nothing", only .*CompanyConfigured, .*ImportQueued/,
    'audit log --company 7 --from yesterday': /a day such as/,
  };
  for (const [words, err] of Object.entries(wrong)) {
    t.match(await rollcall(words), { code: 2, out: '', err }, words || 'nothing at all');
  }
  const env = { EVENT_LOG: 'paper' };
  t.match(await rollcallWithin(dataDir, env)('company list'), { code: 2, err: /EVENT_LOG must be/ });
  t.same(readdirSync(dataDir), [], 'nothing was written');
  t.match(await rollcall('--help'), { code: 0, out: /Usage: rollcall/, err: '' });
});

tap.test('users and tokens', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');

  const added = await rollcall([
    ...['user', 'add', '--company', '7', '--name', 'HR: Ærø', '--role', 'HRIntegration', '--json'],
  ]);
  const first = { userId: 1, companyId: 7, name: 'HR: Ærø', roles: ['HRIntegration'], status: 'active' };
  t.same(objectOf(added), first);
  t.match((await rollcall('user add --company 7 --name Surveys --json')).out, /"userId":2,.*"roles":\[\]/);

  const issued = objectOf(await rollcall('token issue --user 1 --expires 2h --json'));
  const [header, claims] = String(issued['token'])
    .split('.', 2)
    .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));
  t.same(header, { alg: 'EdDSA', typ: 'JWT', kid: issued['kid'] });
  t.match(claims, {
    sub: '1',
    name: 'HR: Ærø',
    company: 7,
    roles: exactly(['HRIntegration']),
    iss: 'rollcall',
    aud: 'rollcall',
    jti: issued['jti'],
    iat: Number,
    exp: Number,
  });
  const { iat, exp } = claims as { iat: number; exp: number };
  t.equal(exp - iat, 7200);
  t.equal(Date.parse(String(issued['expiresAt'])) / 1000, exp);

  const plain = await rollcall('token issue --user 2');
  t.match(plain.out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/, 'without --json the token stands alone on stdout');
  t.match(plain.err, /shown this once/);
  const secrets = [String(issued['token']), plain.out.trim()].flatMap((token) => [
    token,
    token.split('.')[2] ?? '',
  ]);
  const stored = everything(dataDir);
  for (const secret of secrets)
    t.notOk(stored.includes(secret), 'neither a token nor its signature is stored');
  t.ok(stored.includes(String(issued['jti'])), 'its id is');

  t.match(await rollcall(`token revoke --jti ${String(issued['jti'])} --reason lost --json`), {
    code: 0,
    err: '',
    out: /"changed":true,"issuedHere":true/,
  });
  t.match(await rollcall('token revoke --jti elsewhere --json'), { code: 0, err: /No token with this id/ });
  t.match(objectOf(await rollcall('user revoke --user 2 --json')), { userId: 2, changed: true });
  t.match(objectOf(await rollcall('user revoke --user 2 --json')), { userId: 2, changed: false });
  t.match(await rollcall('token issue --user 2'), { code: 1, out: '', err: /API user 2 is revoked/ });

  t.match(objectOf(await rollcall('user list --company 7 --json')), {
    users: exactly([
      { userId: 1, status: 'active', tokens: [{ jti: issued['jti'], revoked: true }] },
      { userId: 2, status: 'revoked', tokens: [{ revoked: true }] },
    ]),
  });

  const log = await rollcall('audit log --company 7');
  t.match(log.out, / ApiTokenRevoked .* because "lost"\n/);
  t.match(log.out, new RegExp(`^\\S+ ApiUserCreated api-users@0 by "cli:[^@"]+@${hostname()}" call `, 'm'));
});

tap.test('keys that somebody else made', async (t) => {
  const dataDir = t.testdir({ 'no-key': 'x' });
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  await rollcall('user add --company 7 --name HR');
  await rollcall('token issue --user 1');
  const publicKeys = join(dataDir, 'elsewhere');
  await cp(join(dataDir, 'keys', 'public'), publicKeys, { recursive: true });
  const [name = ''] = readdirSync(publicKeys);
  await cp(join(publicKeys, name), join(publicKeys, '2026.pem'));
  await rm(join(publicKeys, name));
  const env = {
    JWT_PUBLIC_KEYS: publicKeys,
    JWT_PRIVATE_KEY_FILE: join(dataDir, 'keys', 'private.pem'),
    JWT_ISSUER: 'someone',
    JWT_AUDIENCE: 'everyone',
  };
  const issued = objectOf(await rollcallWithin(dataDir, env)('token issue --user 1 --json'));
  t.equal(issued['kid'], '2026', 'the file name is the kid');
  const claims = Buffer.from(String(issued['token']).split('.')[1] ?? '', 'base64url').toString();
  t.match(JSON.parse(claims), { iss: 'someone', aud: 'everyone' });

  for (const file of ['missing', 'no-key']) {
    const wrong = rollcallWithin(dataDir, { ...env, JWT_PRIVATE_KEY_FILE: join(dataDir, file) });
    t.match(await wrong('token issue --user 1'), {
      code: 1,
      out: '',
      err: new RegExp(`${file}.*(missing|PEM)`),
    });
  }
});

tap.test('beside a process that has the same data folder open', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallOn(dataDir);
  await rollcall('company configure --company 7');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  t.same([...(await readApiUsers(adapters)).users.keys()], []);
  const all = await Promise.all(
    [1, 2, 3, 4].map((n) => rollcall(`user add --company 7 --name U${n} --json`)),
  );
  t.same(
    all.map(({ code, err }) => ({ code, err })),
    all.map(() => ({ code: 0, err: '' })),
  );
  t.same(
    all.map((ran) => objectOf(ran)['userId']).sort(),
    [1, 2, 3, 4],
    'at once, and each is somebody else',
  );
  t.same([...(await readApiUsers(adapters)).users.keys()], [1, 2, 3, 4], 'seen by the open one');
});

tap.test('exit codes and streams of the process', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallOn(dataDir);
  const made = await rollcall('company configure --company 1 --batch-limit 25 --json');
  t.match(made, { code: 0, out: /^\{.*\}\n$/, err: '' });
  t.match(await rollcall('company show --company 2'), { code: 1, out: '', err: /not configured/ });
  t.match(await rollcall('company show --company x'), { code: 2, out: '', err: /integer/ });
  t.match(await rollcall(''), { code: 2, out: '', err: /Usage/ });
});

tap.test('the installed command builds what is stale and runs', async (t) => {
  const dataDir = t.testdir({ file: '' });
  const bin = fileURLToPath(import.meta.resolve('@rollcall/cli')).replace(
    /dist.index\.js$/,
    'bin/rollcall.js',
  );
  const ran = await runScript(bin, ['company', 'configure', '--company', '1'], { DATA_DIR: dataDir });
  t.match(ran, { code: 0, out: /^Company 1 is configured/ });
  const env = { DATA_DIR: join(dataDir, 'file') };
  const onFile = await runScript(bin, ['company', 'configure', '--company', '1'], env);
  t.match(onFile, { code: 1, out: '', err: /file/ }, 'the folder that cannot be used is named');
});
