import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapters, createSigningKey } from '@rollcall/adapters';
import { personalDataReadExample } from '@rollcall/contracts';
import { anchorIfDue, systemClock } from '@rollcall/application';
import t from 'tap';
import { objectOf, rollcallWithin } from '../cli/rollcall.js';
import { append, largeRefusal, survey } from '../projector/projector.support.js';
import { exactly } from '../support/exactly.js';
import { runPython, verifierFolder, withoutPython } from '../support/verifier.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const skip = withoutPython();

t.test("the verifier's own tests", { skip }, async (t) => {
  const { code, err } = await runPython(['-m', 'unittest']);
  t.equal(code, 0, err);
  t.match(err, /Ran [1-9]\d* tests/);
});

t.test('it is short enough to be read', async (t) => {
  const text = await readFile(join(verifierFolder, 'verify.py'), 'utf8');
  t.ok(text.split('\n').length <= 301);
});

t.test('our exports and proofs are what the format says', { skip }, async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  for (const id of [7, 8]) await rollcall(`company configure --company ${id} --name Løkke`);
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  const on = { log: adapters.log, clock: systemClock };
  await append(on, 'operation-1', largeRefusal());
  await append(on, 'reads-7-20261121', { name: 'PersonalDataRead', data: personalDataReadExample });
  const keys = { publicFolder: join(dataDir, 'keys/anchors'), privateFile: join(dataDir, 'keys/anchor.pem') };
  const later = { now: () => systemClock.now() + 3_600_000 };
  const own = { ...on, clock: later, key: () => createSigningKey(keys) };
  t.ok(await anchorIfDue(own));
  for (const id of [1, 2, 3]) await append(on, `survey-${id}`, survey(id, 'One'));
  const kept = join(dataDir, 'kept.ndjson');
  await rollcall(['audit', 'anchor', '--file', kept]);
  await append(on, 'survey-1', survey(1, 'Later'));

  const out = join(dataDir, 'export');
  await rollcall(['audit', 'export', '--all', '--out', out]);
  const verify = async (...args: string[]) => runPython(['verify.py', ...args]);
  const whole = await verify(out, '--anchor', kept, '--json');
  t.equal(whole.code, 0, whole.err);
  const notices = exactly([
    'that nothing was cut off is shown for the first 10 of 11 events by keys of the export itself',
  ]);
  t.match(objectOf(whole), { ok: true, problems: { length: 0 }, notices });
  await rollcall(['audit', 'export', '--company', '7', '--out', join(dataDir, 'one')]);
  t.match(await verify(join(dataDir, 'one')), { code: 0, out: /of one company[^]*It is whole/ });

  const first = await rollcall('audit log --company 7 --json');
  t.equal(first.code, 0);
  const lines = (await readFile(join(out, 'events-000001.ndjson'), 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { id: string; stream: string });
  const file = join(dataDir, 'proof.json');
  for (const { id, stream } of events.filter((one) => !one.stream.startsWith('data-')).slice(0, -1)) {
    const proof = await rollcall(['audit', 'prove', '--event', id, '--anchor', kept]);
    t.equal(proof.code, 0, proof.err);
    await writeFile(file, proof.out);
    const ours = await rollcall(['audit', 'verify-proof', '--file', file]);
    t.match(ours, { code: 0, err: '', out: new RegExp(`${id} \\(${stream}@`) }, stream);
    const theirs = await verify('--proof', file, '--keys', keys.publicFolder);
    t.match(theirs, { code: 0, out: new RegExp(id) }, theirs.out);
    const changed = proof.out.replace(/"index":(\d+)/, (_, index: string) => `"index":${Number(index) + 1}`);
    await writeFile(file, changed);
    t.match(await rollcall(['audit', 'verify-proof', '--file', file]), {
      code: 1,
      err: /path does not lead/,
    });
    t.equal((await verify('--proof', file, '--keys', keys.publicFolder)).code, 1);
  }
  const last = events.at(-1)?.id ?? '';
  t.match(await rollcall(['audit', 'prove', '--event', last, '--anchor', kept]), {
    code: 1,
    err: /No anchor covers it/,
  });
});
