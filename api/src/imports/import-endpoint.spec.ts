import type { ArrivingImport, BodyIntake, ImportRequest } from '@rollcall/application';
import { ArrivingImportBody } from './import-endpoint.js';

import tap from 'tap';

const KiB = 1024;
const chunkBytes = 64 * KiB;

/** What becomes of a body of so many bytes: who decides on it, what its thread is chosen by, and the bytes that it gets. */
async function sent(length: number, expectedBytes: number | undefined) {
  const ways: (readonly [string, number | undefined])[] = [];
  let written = 0;
  const intake: BodyIntake = {
    write: (pieces) => void (written += pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)),
    end: () => Promise.resolve(''),
    accept: () => Promise.reject(new Error('not asked for')),
    abandon: () => undefined,
  };
  const imports = {
    accept: ({ body }: ImportRequest) => {
      ways.push(['held', body.length]);
      return Promise.reject(new Error('over'));
    },
    takeUp: (arriving: ArrivingImport) => {
      ways.push(['thread', arriving.expectedBytes]);
      return intake;
    },
  };
  const body = new ArrivingImportBody(imports, { kind: 'employees', companyId: 7, expectedBytes });
  for (let left = length; left > 0; left -= chunkBytes)
    await body.take(new Uint8Array(Math.min(left, chunkBytes)));
  await body.whole();
  return { ways, written };
}

tap.test('a body that does not say its length has the thread of the length that it comes to', async (t) => {
  const MiB = KiB * KiB;
  t.same(await sent(256 * KiB, undefined), { ways: [], written: 0 }, 'held whole');
  t.same(await sent(300 * KiB, undefined), { ways: [['thread', 300 * KiB]], written: 300 * KiB });
  t.same(await sent(8 * MiB, undefined), { ways: [['thread', 8 * MiB]], written: 8 * MiB });
  t.same(await sent(9 * MiB, undefined), { ways: [['thread', undefined]], written: 9 * MiB });
  t.same(await sent(300 * KiB, 300 * KiB), { ways: [['thread', 300 * KiB]], written: 300 * KiB });
});
