import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openAdapters } from '@rollcall/adapters';
import { importEvents, newId, readLog, type RecordedEvent } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { start } from '../standalone/start.js';
import { objectOf, rollcallWithin, type Ran } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

interface Places {
  readonly folder: string;
  readonly dataDir: string;
  readonly out: string;
  readonly rollcall: (words: string) => Promise<Ran>;
  /** An empty installation that has the keys. */
  readonly empty: (name: string) => string;
}

async function installation(t: Test): Promise<Places> {
  const folder = t.testdir();
  const dataDir = join(folder, 'data');
  const rollcall = rollcallWithin(dataDir);
  for (const company of [7, 8]) await rollcall(`company configure --company ${company} --name Acme`);
  await rollcall('user add --company 7 --name HR --role HRIntegration');
  await rollcall('token issue --user 1');
  const empty = (name: string): string => {
    mkdirSync(join(folder, name));
    cpSync(join(dataDir, 'keys'), join(folder, name, 'keys'), { recursive: true });
    return join(folder, name);
  };
  return { folder, dataDir, out: join(folder, 'out'), rollcall, empty };
}

async function eventsIn(dataDir: string): Promise<readonly RecordedEvent[]> {
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const { log } = adapters;
  const events: RecordedEvent[] = [];
  await readLog(log, await log.lastPosition(), (event) => {
    events.push({
      ...event,
      data: Buffer.from(event.data),
      metadata: Buffer.from(event.metadata),
      position: 0n,
    });
  });
  await adapters.close();
  return events;
}

/** With hashes that fit again, as whoever alters an export would write them. */
function alter(out: string, change: (text: string) => string): void {
  const path = 'events-000001.ndjson';
  const text = change(readFileSync(join(out, path), 'utf8'));
  writeFileSync(join(out, path), text);
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const events = text.split('\n').length - 1;
  const files = [{ path, bytes: Buffer.byteLength(text), sha256, events }];
  writeFileSync(join(out, 'manifest.json'), JSON.stringify({ ...manifest, events, files }));
}

tap.test('an export is imported, event for event', async (t) => {
  const { folder, dataDir, out, rollcall, empty } = await installation(t);
  const anchor = join(folder, 'anchor.json');
  await rollcall(`audit anchor --file ${anchor}`);
  const made = objectOf(await rollcall(`audit export --all --out ${out} --json`));
  t.match(made, {
    format: 1,
    company: null,
    events: 6,
    files: exactly([{ path: 'events-000001.ndjson', events: 6 }]),
  });
  t.same(readdirSync(out).sort(), ['events-000001.ndjson', 'manifest.json']);
  t.notMatch(readFileSync(join(out, 'manifest.json'), 'utf8'), /PRIVATE/);
  t.match(await rollcall(`audit export --all --out ${out}`), { code: 1, err: /is not empty/ });
  const target = empty('target');
  const on = rollcallWithin(target);
  t.match(await on(`audit import --from ${out} --verify-only`), {
    code: 0,
    out: /is whole: 6 events in 5 str/,
  });
  t.same(readdirSync(target), ['keys'], 'nothing is written');
  t.match(await on(`audit import --from ${out}`), { code: 0, err: '', out: /6 events of 5 streams/ });
  t.same(await eventsIn(target), await eventsIn(dataDir));
  t.match(objectOf(await on('company list --json')), {
    companies: exactly([{ companyId: 7 }, { companyId: 8 }]),
  });
  t.equal((await on('projections rebuild')).code, 0);
  t.match(await on(`audit verify --anchor ${anchor}`), {
    code: 0,
    out: /nothing is missing or changed among the first 6/,
  });
  t.match((await on('audit verify')).out, /The read models are what the log says: \d/, 'all of it');
  t.match(await on(`audit import --from ${out}`), { code: 0, out: /6 events of 5 streams/ }, 'a repeat');
  t.same(await eventsIn(target), await eventsIn(dataDir), 'changes nothing');
  t.equal((await on('company configure --company 9')).code, 0, 'it goes on');
  t.match(await on(`audit import --from ${out}`), { code: 1, err: /The event log is not empty/ });
});

tap.test('one company: its own streams, to be verified only', async (t) => {
  const { out, rollcall, empty } = await installation(t);
  t.match(objectOf(await rollcall(`audit export --company 7 --out ${out} --json`)), {
    company: 7,
    events: 3,
  });
  const text = readFileSync(join(out, 'events-000001.ndjson'), 'utf8');
  t.notMatch(text, /company-8|api-users|apitokens/);
  const on = rollcallWithin(empty('target'));
  t.equal((await on(`audit import --from ${out} --verify-only`)).code, 0);
  t.match(await on(`audit import --from ${out}`), { code: 1, err: /is of company 7 alone/ });
  for (const words of ['', ' --all --company 7'])
    t.match(await rollcall(`audit export --out ${out}${words}`), { code: 2, err: /--all/ });
});

tap.test('what is no whole export is refused, and nothing is written', async (t) => {
  const { folder, out, rollcall, empty } = await installation(t);
  await rollcall(`audit export --all --out ${out}`);
  const target = empty('target');
  const on = rollcallWithin(target);
  const file = 'events-000001.ndjson';
  const line = /^.*"stream":"installation","revision":0.*\n/m;
  const cases: readonly (readonly [string, (copy: string) => void, RegExp])[] = [
    [
      'a byte',
      (copy) => change(copy, (text) => text.replace('Acme', 'Acne')),
      /is not what the export wrote/,
    ],
    ['a cut file', (copy) => change(copy, (text) => text.slice(0, -9)), /is not what the export wrote/],
    ['a missing file', (copy) => rmSync(join(copy, file)), /is not what the export wrote/],
    ['no manifest', (copy) => rmSync(join(copy, 'manifest.json')), /no finished export: manifest.json/],
    ['half a manifest', (copy) => writeFileSync(join(copy, 'manifest.json'), '{"format":1'), /is damaged/],
    ['a later format', (copy) => writeFileSync(join(copy, 'manifest.json'), '{"format":2}'), /format 2/],
    [
      'an altered event',
      (copy) => alter(copy, (text) => text.replace('Acme', 'Acne')),
      /company-7 is broken at rev/,
    ],
    [
      'a removed event',
      (copy) => alter(copy, (text) => text.replace(line, '')),
      /Revision 0 of installation is missing/,
    ],
    ['a line that is none', (copy) => alter(copy, (text) => `${text}{}\n`), /is not what the export wrote/],
    [
      'an event in bytes',
      (copy) => alter(copy, (text) => text.replace(/"data":("(?:[^"\\]|\\.)*")/, inBytes)),
      /is not what the export wrote/,
    ],
    ['events in another order', (copy) => alter(copy, reversed), /not in their order/],
  ];
  for (const [index, [what, damage, problem]] of cases.entries()) {
    const copy = join(folder, `copy-${index}`);
    cpSync(out, copy, { recursive: true });
    damage(copy);
    const { code, err } = await on(`audit import --from ${copy}`);
    t.match({ code, err }, { code: 1, err: problem }, what);
    t.equal((await on(`audit import --from ${copy} --verify-only`)).code, code, what);
  }
  function change(copy: string, how: (text: string) => string): void {
    writeFileSync(join(copy, file), how(readFileSync(join(copy, file), 'utf8')));
  }
});

const inBytes = (_: string, data: string): string =>
  `"binary":"${Buffer.from(JSON.parse(data) as string).toString('base64')}"`;

const reversed = (text: string): string => `${text.trimEnd().split('\n').reverse().join('\n')}\n`;

tap.test('the digest key has to be there', async (t) => {
  const { folder, out, rollcall } = await installation(t);
  await rollcall(`audit export --all --out ${out}`);
  const none = rollcallWithin(join(folder, 'none'));
  t.match(await none(`audit import --from ${out}`), { code: 1, err: /digest.key is missing/ });
  const other = join(folder, 'other');
  await rollcallWithin(other)('company configure --company 1');
  rmSync(join(other, 'event-log'), { recursive: true });
  t.match(await rollcallWithin(other)(`audit import --from ${out}`), {
    code: 1,
    err: /not the key of this event log/,
  });
});

tap.test('an interrupted import is marked, and continued', async (t) => {
  const { dataDir, out, rollcall, empty } = await installation(t);
  const { installationId } = objectOf(await rollcall(`audit export --all --out ${out} --json`));
  const target = empty('target');
  const adapters = await openAdapters(embeddedAdapters(target));
  const whole = await eventsIn(dataDir);
  const some = async function* (): AsyncGenerator<RecordedEvent> {
    yield* whole.slice(0, 3);
    throw new Error('killed');
  };
  const options = { installationId: String(installationId), onCopied: () => undefined };
  await t.rejects(importEvents(adapters.log, some(), options), /killed/);
  await adapters.close();
  const on = rollcallWithin(target);
  for (const words of [
    'company configure --company 9',
    'company list',
    'audit verify',
    'audit export --all --out x',
  ])
    t.match(await on(words), { code: 1, err: /An import into this event log is not finished/ }, words);
  t.match(await on('doctor'), { code: 1, out: /^RED +work +An import into this event log is not finished/m });
  t.match(
    await start(target).child.ended,
    { code: 1, err: /^An import into this .* again\.\n$/ },
    'one line',
  );
  t.match(await on(`audit import --from ${out}`), { code: 0, err: '' });
  t.same(await eventsIn(target), whole);
  t.equal((await on('company configure --company 9')).code, 0);
});

tap.test('an import of something else does not go on in its place', async (t) => {
  const { out, rollcall, empty } = await installation(t);
  await rollcall(`audit export --all --out ${out}`);
  const target = empty('target');
  const adapters = await openAdapters(embeddedAdapters(target));
  const nothing = async function* (): AsyncGenerator<RecordedEvent> {};
  await importEvents(adapters.log, nothing(), { installationId: newId(), onCopied: () => undefined });
  await adapters.close();
  const ran = await rollcallWithin(target)(`audit import --from ${out}`);
  t.match(ran, { code: 1, err: /An import of another installation into this log is not finished/ });
});
