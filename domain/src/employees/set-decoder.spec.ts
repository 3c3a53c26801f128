import tap from 'tap';
import { decideEmployeeSet } from './decide.js';
import { configured, given } from './employees.testing.js';
import { digester, type Sent, readEmployeeList } from '@rollcall/employee-lists/testing';
import { MisshapenSet, readFullElement, readSetElement, SetEventParser } from '@rollcall/employee-lists/set';

const person = (id: string, dimensions: Readonly<Record<string, string>>): Sent => ({
  EmployeeID: id,
  Firstname: 'Ada',
  Lastname: 'Example',
  Email: `${id}@example.com`,
  EmploymentStatus: 0,
  Dimensions: dimensions,
});

/** Texts that look as the borders between entries and lists do. */
const borders = ['},{"number":7', '}],"changed":[', '}],"left":[', '}]}', '\\', '"}},{"'];
const tricky = (id: string): Sent =>
  person(id, {
    number: 'a',
    '}': '},{',
    ...Object.fromEntries(borders.map((text, index) => [`${index} ${text}`, text])),
  });

/** The event of a list that adds, changes and removes, and what it holds. */
function event(): { text: string; entries: unknown[] } {
  const before = [tricky('a'), person('b', {}), person('c', {}), person('d', {})];
  const after = [tricky('b'), person('a', {}), tricky('e'), person('f', { number: '},' })];
  const decision = decideEmployeeSet(
    {
      companyId: 7,
      operationId: '019aa2f0-5c00-7000-8000-000000000001',
      bodySha256: 'a'.repeat(64),
      receivedAt: 0,
      digester,
      reading: readEmployeeList(Buffer.from(JSON.stringify(after)), digester),
    },
    given(configured(), before),
  );
  if (decision.kind !== 'replaced') throw new Error('nothing was replaced');
  const text = Array.from(decision.source.chunks(), (chunk) => Buffer.from(chunk).toString('latin1')).join(
    '',
  );
  const data = JSON.parse(text) as Readonly<Record<'added' | 'changed' | 'left' | 'restored', object[]>>;
  const entries = (['added', 'changed', 'left', 'restored'] as const).flatMap((kind) =>
    data[kind].map((entry) => ({ kind, ...entry })),
  );
  return { text, entries };
}

function parsed(text: string, size: number): unknown[] {
  const entries: unknown[] = [];
  const parser = new SetEventParser((kind, bytes, start, end) =>
    entries.push(readFullElement(kind, bytes, start, end)),
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
  parser.finish();
  return entries;
}

tap.test('entries are found wherever chunks end, and whatever stands in their texts', (t) => {
  const { text, entries } = event();
  t.equal(entries.length, 6, 'two of each kind');
  for (const size of [1, 2, 3, 5, 7, 11, 64, 500, text.length])
    t.same(parsed(text, size), entries, `${size}`);
  t.end();
});

tap.test('a list without entries', (t) => {
  const { text } = event();
  const empty = text.replace(/,"added":.*$/s, ',"added":[],"changed":[],"left":[],"restored":[]}');
  for (const size of [1, 3, empty.length]) t.same(parsed(empty, size), []);
  t.end();
});

tap.test('what is cut off, or has something between entries, is misshapen', (t) => {
  const { text } = event();
  const damaged = [
    text.slice(0, -1),
    text.slice(0, -20),
    `${text} `,
    text.replace('}},{"number"', '}};{"number"'),
    text.replace('}},{"number"', '}}{"number"'),
    text.replace('],"changed":[', '],"changes":['),
    text.replace('],"left":[', ',],"left":['),
  ];
  for (const each of damaged)
    for (const size of [7, each.length]) t.throws(() => parsed(each, size), MisshapenSet);
  t.end();
});

tap.test('what a set needs of an entry is read as it is written, or misshapen', (t) => {
  const [id, digest] = ['0123456789abcdef'.repeat(2), 'fedcba98'.repeat(4)];
  const entries = {
    added: `{"number":12,"idDigest":"${id}","digest":"${digest}","invitationDue":null,"values":{}}`,
    changed: `{"number":9007199254740991,"digest":"${digest}","values":{}}`,
    left: '{"number":1}',
    restored: `{"number":3,"idDigest":"${id}","digest":"${digest}","values":{}}`,
  } as const;
  const read = (kind: keyof typeof entries, text: string): unknown =>
    readSetElement(kind, Buffer.from(`,${text}`), 1);
  const words = Uint32Array.of(0xfedcba98, 0xfedcba98, 0xfedcba98, 0xfedcba98);
  const idDigest = Uint32Array.of(0x01234567, 0x89abcdef, 0x01234567, 0x89abcdef);
  t.strictSame(read('added', entries.added), { kind: 'added', number: 12, idDigest, digest: words });
  t.strictSame(read('changed', entries.changed), { kind: 'changed', number: 2 ** 53 - 1, digest: words });
  t.strictSame(read('left', entries.left), { kind: 'left', number: 1 });
  for (const kind of ['restored', 'changed'] as const)
    t.strictSame(read(kind, entries.restored), { kind, number: 3, idDigest, digest: words });
  for (const [kind, text] of [
    ['added', entries.added.replace('abcdef', 'abcdeF')],
    ['added', entries.added.replace('fed', 'feg')],
    ['added', entries.added.replace('fed', 'fe')],
    ['added', entries.changed],
    ['added', entries.added.slice(0, 60)],
    ['changed', entries.added],
    ['changed', entries.changed.replace('991', '992')],
    ['changed', entries.changed.replace('9007199254740991', '')],
    ['restored', entries.changed],
    ['restored', entries.added],
    ['restored', entries.restored.replace('fed', 'feg')],
    ['left', '{"number":1.5}'],
    ['left', '{"number":-1}'],
    ['left', '{"id":1}'],
  ] as const)
    t.throws(() => read(kind, text), MisshapenSet, `${kind} ${text}`);
  t.end();
});
