import { readFileSync, writeFileSync } from 'node:fs';
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
