import { createHash } from 'node:crypto';
import { Digester } from '@rollcall/employee-lists';
import t from 'tap';
import { EmployeeImport, newIgnoredFields } from './employee-import.js';
import { bodyInMemory, type StoredBody } from './stored-body.js';

const element = (more: object) => ({
  ...{ EmployeeID: 'E-1', Firstname: 'Ada', Lastname: 'Berg', Email: 'ada@example.com' },
  ...{ EmploymentStatus: 0, ...more },
});

/** A body in memory that counts how often it is read. */
function counted(list: readonly object[]) {
  const bytes = new TextEncoder().encode(JSON.stringify(list));
  const stored = bodyInMemory(bytes, createHash('sha256').update(bytes).digest('hex'));
  let reads = 0;
  const count = <T>(work: () => T): T => {
    reads += 1;
    return work();
  };
  const body: StoredBody = {
    ...stored,
    read: (start, end) => count(() => stored.read(start, end)),
    copy: (into, from) => count(() => stored.copy(into, from)),
  };
  return { body, reads: () => reads };
}

t.test('a body that comes again is not read for its unknown members, unless they are many', (t) => {
  const deps = {
    digester: new Digester(new Uint8Array(32)),
    rules: '',
    ignoredFields: newIgnoredFields(),
  };
  const context = {
    ...{ companyId: 7, operationId: '', userId: 1, username: 'HR', causationId: null },
    receivedAt: new Date(0).toISOString(),
  };
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`Member ${n}`, 1]));
  for (const [members, isReadAgain] of [
    [{}, false],
    [{ Extra: 1 }, false],
    [many, true],
  ] as const) {
    const { body, reads } = counted([element(members)]);
    const ignored = () => new EmployeeImport({ companyId: 7, context, body }, deps).ignored;
    const expected = Object.fromEntries(Object.keys(members).map((name) => [name, 1]));
    t.strictSame({ ...ignored() }, expected);
    const before = reads();
    t.ok(before > 0);
    t.strictSame({ ...ignored() }, expected);
    t.equal(reads() > before, isReadAgain);
  }
  t.end();
});
