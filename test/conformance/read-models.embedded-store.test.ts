import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedReadModels } from '@rollcall/adapters/read';
import tap from 'tap';
import { writable, type WritableReadModels } from '../support/writable.js';

tap.test(
  'a file that is no store, or was cut off or overwritten, is refused and left as it is',
  async (t) => {
    const whole = t.testdir();
    const readModels = writable(await openEmbeddedReadModels({ folder: whole }));
    await readModels.close();
    const bytes = readFileSync(join(whole, 'data.mdb'));
    const overwritten = (at: number) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from('?'), bytes.subarray(at + 1)]);
    const cut = [1, 9, 4096, 16_384, bytes.length >> 1].map((size) => bytes.subarray(0, size));
    for (const damaged of [Buffer.from('something else '.repeat(1000)), ...cut, overwritten(24)]) {
      const folder = t.testdir();
      writeFileSync(join(folder, 'data.mdb'), damaged);
      await t.rejects(openEmbeddedReadModels({ folder }), {
        name: 'ReadModelsUnavailable',
        message: /data\.mdb .* End all processes and delete the folder/,
      });
      t.ok(damaged.equals(readFileSync(join(folder, 'data.mdb'))), `${damaged.length} bytes`);
    }
  },
);

const rewrite = (readModels: WritableReadModels, value: Buffer, revision: number): Promise<void> =>
  readModels.write([
    Array.from({ length: 1_000 }, (_, block) => ({
      op: 'put',
      collection: 'employee-blocks',
      key: [1, block],
      revision,
      value,
    })),
  ]);

const sizeOf = (folder: string): number => statSync(join(folder, 'data.mdb')).size;

tap.test(
  'blocks take little more than their bytes, and a change of them room for a part of them',
  async (t) => {
    const folder = t.testdir();
    const readModels = writable(await openEmbeddedReadModels({ folder }));
    await readModels.beginEmpty();
    const value = Buffer.alloc(38_000, 'row');
    const bytes = 1_000 * value.length;
    const inBytes = (): number => sizeOf(folder) / bytes;
    await rewrite(readModels, value, 1);
    t.ok(inBytes() < 1.15, `${inBytes()} times their bytes`);
    for (const revision of [2, 3, 4, 5]) await rewrite(readModels, value, revision);
    t.ok(inBytes() < 1.6, `${inBytes()} times their bytes`);
    await readModels.close();
  },
);

tap.test('a search that cannot be begun holds nothing: what is overwritten is used again', async (t) => {
  const folder = t.testdir();
  const readModels = writable(await openEmbeddedReadModels({ folder }));
  await readModels.beginEmpty();
  const value = Buffer.alloc(4_000, 'row');
  for (const revision of [1, 2, 3, 4]) await rewrite(readModels, value, revision);
  const size = sizeOf(folder);
  const tooLong = readModels.find('employee-blocks', { prefix: [1], after: [1, 'x'.repeat(2_000)] });
  await t.rejects(tooLong[Symbol.asyncIterator]().next(), { name: 'UnwritableDocument' });
  for (const revision of [5, 6, 7, 8]) await rewrite(readModels, value, revision);
  t.ok(sizeOf(folder) <= 1.2 * size, `${sizeOf(folder)} bytes, and ${size} before`);
  await readModels.close();
});
