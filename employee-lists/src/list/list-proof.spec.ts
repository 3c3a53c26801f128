import t from 'tap';
import { Digester } from './digests.js';
import { digester, readEmployeeList } from './lists.testing.js';
import type { EmployeeList } from './list-builder.js';
import { listProof, proofBytes, provenList, type ProofSubject } from './list-proof.js';

const people = Array.from({ length: 5 }, (_, n) => ({
  EmployeeID: `E-${n}`,
  Firstname: 'Åse',
  Lastname: 'Berg',
  Email: `e${n}@example.com`,
  EmploymentStatus: 1,
  ...(n === 3 && { Shoes: 41 }),
  ...(n === 4 && { Firstname: 'Ås\u0065' }),
}));
const body = Buffer.from(JSON.stringify(people));

function read(): EmployeeList {
  const reading = readEmployeeList(body, digester);
  if (reading.status !== 'valid') throw new Error(reading.problems.join());
  return reading.list;
}

const list = read();
const subject: ProofSubject = { rules: 'one', bodySha256: 'a'.repeat(64), count: 5, digester };
const whole = (pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(pieces.flatMap((piece) => [...piece]));
const proof = whole(listProof(list, subject));
const proven = (bytes: Uint8Array<ArrayBuffer>, change: Partial<ProofSubject> = {}) =>
  provenList(bytes, { ...subject, ...change }, list.bytes);

t.test('a list is what was proved, byte for byte', async (t) => {
  t.equal(proof.length, proofBytes(5));
  const again = proven(proof);
  if (typeof again === 'string') throw new Error(again);
  const { count, bounds, ids, digests, plain, withUnknown } = again;
  t.strictSame(
    { count, bounds, ids, digests, plain, withUnknown },
    {
      count: 5,
      bounds: list.bounds.slice(0, 10),
      ids: list.ids.slice(0, 20),
      digests: list.digests.slice(0, 20),
      plain: list.plain.slice(0, 5),
      withUnknown: list.withUnknown.slice(0, 5),
    },
  );
  t.strictSame([...again.withUnknown], [0, 0, 0, 1, 0]);
});

t.test(
  'a proof of another body, of other rules, of another installation or with another bit settles nothing',
  async (t) => {
    t.equal(proven(proof, { rules: 'two' }), 'other-rules');
    t.equal(proven(proof, { digester: new Digester(Buffer.alloc(32, 8)) }), 'other-rules');
    t.equal(proven(proof, { bodySha256: 'b'.repeat(64) }), 'misfit');
    t.equal(proven(proof, { count: 4 }), 'misfit');
    t.equal(proven(proof.subarray(0, 63)), 'misfit');
    t.equal(proven(proof.subarray(0, -1)), 'misfit');
    for (let at = 0; at < proof.length; at++) {
      const bent = proof.slice();
      bent[at] = (bent[at] ?? 0) ^ 1;
      t.match(proven(bent), at >= 32 && at < 64 ? 'other-rules' : 'misfit', `byte ${at}`);
    }
  },
);
