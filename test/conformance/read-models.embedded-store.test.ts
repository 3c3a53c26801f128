import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedReadModels } from '@rollcall/adapters/read';
import tap from 'tap';

tap.test(
  'a file that is no store, or was cut off or overwritten, is refused and left as it is',
  async (t) => {
    const whole = t.testdir();
    const readModels = await openEmbeddedReadModels({ folder: whole });
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

tap.test(
  'blocks take little more than their bytes, and a change of them room for a part of them',
  async (t) => {
    const folder = t.testdir();
    const readModels = await openEmbeddedReadModels({ folder });
    await readModels.beginEmpty();
    const value = Buffer.alloc(38_000, 'row');
    const bytes = 1_000 * value.length;
    const rewrite = (revision: number): Promise<void> =>
      readModels.write([
        Array.from({ length: 1_000 }, (_, block) => ({
          op: 'put',
          collection: 'employee-blocks',
          key: [1, block],
          revision,
          value,
        })),
      ]);
    const inBytes = (): number => statSync(join(folder, 'data.mdb')).size / bytes;
    await rewrite(1);
    t.ok(inBytes() < 1.15, `${inBytes()} times their bytes`);
    for (const revision of [2, 3, 4, 5]) await rewrite(revision);
    t.ok(inBytes() < 1.6, `${inBytes()} times their bytes`);
    await readModels.close();
  },
);
