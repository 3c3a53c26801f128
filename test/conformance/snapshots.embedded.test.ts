import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machine, openEmbeddedSnapshots } from '@rollcall/adapters';
import { newId } from '@rollcall/application';
import t from 'tap';
import { snapshotsConformance } from './snapshots.suite.js';

/** More than any process has as its id. */
const DEAD = 2 ** 30;

snapshotsConformance('embedded', (t) => {
  const location = t.testdir();
  const clock = { at: Date.now(), now: () => clock.at };
  const file = join(location, 'v3', 'company-7');
  const change = async (how: (content: Buffer) => Buffer): Promise<void> =>
    writeFile(file, how(await readFile(file)));
  const replaced = (from: string, to: string) => () =>
    change((content) => Buffer.from(content.toString('latin1').replace(from, to), 'latin1'));
  return Promise.resolve({
    adapter: 'embedded',
    location,
    clock,
    open: () => openEmbeddedSnapshots({ folder: location, clock }),
    harms: {
      'cut off': () => truncate(file, 600_000),
      empty: () => truncate(file, 0),
      'something behind it': () => change((content) => Buffer.concat([content, Buffer.of(1)])),
      'another bit': () => change((content) => content.fill((content.at(-1) ?? 0) ^ 1, content.length - 1)),
      'another revision': replaced('"revision":1', '"revision":2'),
      'another chain value': replaced('"chain":"ab', '"chain":"ac'),
      'another moment': replaced('09:00', '09:01'),
      'of another stream': replaced('"company-7"', '"company-8"'),
      'no line in front': replaced('\n', ' '),
    },
    pieces: async () =>
      (await readdir(location, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
        .length,
    leaveUnfinished: async () => {
      await mkdir(join(location, 'new'), { recursive: true });
      await writeFile(join(location, 'new', `.${machine}-${DEAD}-${newId()}.new`), 'half of it');
    },
  });
});

t.test('a name that is no file name', async (t) => {
  const location = t.testdir();
  const store = openEmbeddedSnapshots({ folder: join(location, 'snapshots') });
  const stream = '../company/7';
  await store.put({
    stream,
    revision: 1,
    stateVersion: 3,
    chain: '',
    recordedAt: '',
    bytes: Buffer.from('x'),
  });
  t.match(await store.newest(stream, 3), { revision: 1 });
  t.same(await readdir(location), ['snapshots']);
});
