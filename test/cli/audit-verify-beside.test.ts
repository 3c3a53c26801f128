import { projections } from '@rollcall/projector';
import { openAdapters, type Adapters } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';

import { readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import tap, { type Test } from 'tap';
import { append, configured, projectAll } from '../projector/projector.support.js';
import { rollcallWithin, type Ran } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** Enough events for a thread, and read models of them. */
async function manyEvents(t: Test, damage: (adapters: Adapters) => Promise<void>): Promise<string> {
  const dataDir = join(t.testdir({ data: {}, temporary: {} }), 'data');
  await rollcallWithin(dataDir)('company configure --company 7 --name Seven');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const on = { log: adapters.log, clock: systemClock };
  const events = Array.from({ length: 500 }, (_, index) => configured(8, `Eight ${index}`));
  for (let round = 0; round < 10; round += 1) await append(on, 'company-8', events, { companyId: 8 });
  await projectAll({ ...adapters, projections });
  await damage(adapters);
  await adapters.close();
  return dataDir;
}

interface Verified extends Ran {
  readonly threads: number;
  readonly left: readonly string[];
}

async function verified(t: Test, dataDir: string, onThread?: (thread: Worker) => void): Promise<Verified> {
  let threads = 0;
  const started = (thread: Worker): void => {
    threads += 1;
    onThread?.(thread);
  };
  const temporary = join(t.testdirName, 'temporary');
  const { TMPDIR = tmpdir() } = process.env;
  process.env['TMPDIR'] = temporary;
  process.on('worker', started);
  const ran = await rollcallWithin(dataDir)('audit verify').finally(() => {
    process.off('worker', started);
    process.env['TMPDIR'] = TMPDIR;
  });
  return { ...ran, threads, left: await readdir(temporary) };
}

const nothing = (): Promise<void> => Promise.resolve();
const whole = {
  code: 0,
  out: /\nThe read models are what the log says: \d+ documents\.\n$/,
  left: { length: 0 },
};

tap.test('a large log: a thread verifies the read models', async (t) => {
  const dataDir = await manyEvents(t, nothing);
  t.match(await verified(t, dataDir), { ...whole, threads: 1 });
  const ended = await verified(t, dataDir, (thread) => {
    thread.emit('error', new RangeError('no memory'));
    void thread.terminate();
  });
  const err = 'The thread for the read models failed, so that they are compared without it: RangeError\n';
  t.match(ended, { ...whole, threads: 1, err }, 'also where the thread fails, and it says why');
});

tap.test('a thread finds a read model that is another one', async (t) => {
  const dataDir = await manyEvents(t, async (adapters) => {
    const readModels = await adapters.readModels.liveGeneration();
    const stored = Buffer.from((await readModels.get('companies', [7])) ?? []).toString();
    const value = Buffer.from(stored.replace('Seven', 'Never'));
    await readModels.write([[{ op: 'put', collection: 'companies', key: [7], revision: 1_000, value }]]);
  });
  const err = /companies \[7\] is another one in settings/;
  t.match(await verified(t, dataDir), {
    code: 1,
    out: /^The log is whole/,
    err,
    threads: 1,
    left: { length: 0 },
  });
});

tap.test('a broken log ends the thread', async (t) => {
  const dataDir = await manyEvents(t, nothing);
  const file = join(dataDir, 'event-log', 'data.mdb');
  const bytes = await readFile(file);
  for (let at = bytes.indexOf('Seven'); at >= 0; at = bytes.indexOf('Seven', at + 1)) bytes.write('Z', at);
  await writeFile(file, bytes);
  const err = /^The log is broken at company-7@0: .*chain/;
  t.match(await verified(t, dataDir), { code: 1, out: '', err, threads: 1, left: { length: 0 } });
});

tap.test('without a temporary folder the log is verified all the same', async (t) => {
  const dataDir = await manyEvents(t, nothing);
  const temporary = join(t.testdirName, 'temporary');
  await rmdir(temporary);
  const before = process.env['TMPDIR'] ?? tmpdir();
  process.env['TMPDIR'] = temporary;
  t.teardown(() => (process.env['TMPDIR'] = before));
  t.match(await rollcallWithin(dataDir)('audit verify'), {
    code: 1,
    out: /^The log is whole/,
    err: /ENOENT/,
  });
});
