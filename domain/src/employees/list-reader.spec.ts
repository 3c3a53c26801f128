import tap from 'tap';
import { digester, readInChunks } from './employees.testing.js';
import { EmployeeListReader, type UnsettledReason } from './list-reader.js';
import { isComplete, readEmployee } from './read-employee.js';
import { dice } from './respelled.testing.js';
import { canonicalBytes } from './values.js';

const person = (index: number): string =>
  JSON.stringify({
    EmployeeID: `E-${index}`,
    Firstname: 'Ada',
    Lastname: 'Holm',
    Phonenumber: `+45${10_000_000 + index}`,
    Email: `ada.${index}@example.com`,
    EmploymentStatus: 0,
  });

tap.test('hashes that meet are settled by the texts', (t) => {
  // Among so many texts some pairs have the same 32 bits of hash in each column.
  const body = Buffer.from(`[${Array.from({ length: 300_000 }, (_, index) => person(index)).join(',')}]`);
  let settled = 0;
  const reader = new EmployeeListReader({
    digester,
    digestBelow: 0,
    expectedBytes: 0,
    onUnsettled: () => t.fail('all of them are settled by the module'),
    bytes: (start, end) => {
      settled++;
      return body.subarray(start, end);
    },
  });
  reader.feed(body);
  t.strictSame(reader.finish(), { status: 'checked', count: 300_000 });
  reader.close();
  t.ok(settled > 0, `${settled} hits were none`);
  t.end();
});

tap.test('what is repeated is told, wherever it stands and however it is written', (t) => {
  const again = [
    person(1)
      .replace('E-1"', '\\u0045-1"')
      .replace('+4510000001', '\\u002B4510000001')
      .replace('ada.1@', 'ADA.1@'),
    person(2).replace('E-2', 'E-3').replace('10000002', '10000009'),
    person(8).replace('"Ada"', '7').replace('E-8', 'E-1'),
  ];
  const body = Buffer.from(`[${[person(1), person(2), ...again].join(',')}]`);
  const { check } = readInChunks(body, dice(1));
  t.strictSame(check, {
    status: 'invalid',
    problems: [
      "[2] EmployeeID 'E-1': EmployeeID is the same as that of [0]",
      "[2] EmployeeID 'E-1': Email is the same as that of [0]",
      "[2] EmployeeID 'E-1': Phonenumber is the same as that of [0]",
      "[3] EmployeeID 'E-3': Email is the same as that of [1]",
      "[4] EmployeeID 'E-1': Firstname must be a string",
      "[4] EmployeeID 'E-1': EmployeeID is the same as that of [0]",
    ],
  });
  t.end();
});

tap.test('elements longer than the window come whole', (t) => {
  const long = person(1).replace('{', `{"note":"${'x'.repeat(200_000)}",`);
  const tooLong = person(2).replace('{', `{"note":"${'x'.repeat(1024 * 1024)}",`);
  const roll = dice(2);
  const valid = readInChunks(Buffer.from(`[${long},${person(3)}]`), roll);
  t.equal(valid.check.status, 'valid');
  t.strictSame(valid.unsettled, ['long']);
  const { check } = readInChunks(Buffer.from(`[${person(3)},${tooLong}]`), roll);
  t.strictSame(check, { status: 'invalid', problems: ['[1]: must be at most 1048576 bytes'] });
  for (const open of ['{"a":"', '{"a":[{', '"', '[[']) {
    const broken = readInChunks(Buffer.from(`[${person(3)},${open}${'x'.repeat(300_000)}`), roll);
    const at = person(3).length + 2;
    const problem = `The body is not valid JSON: an element that does not end at byte ${at}, element [1]`;
    t.strictSame(broken.check, { status: 'invalid', problems: [problem] }, open);
  }
  t.end();
});

tap.test('bytes that are no UTF-8 are told before all else, wherever chunks end', (t) => {
  const problems = ['The body is not valid UTF-8'];
  for (const tail of [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80]]) {
    for (const front of ['', '[', `[${person(1)} x`]) {
      const body = Buffer.concat([Buffer.from(front), Buffer.from(tail)]);
      t.strictSame(readInChunks(body, dice(front.length)).check, { status: 'invalid', problems });
    }
  }
  const smile = Buffer.from(`[${person(1).replace('Holm', '😀')}]`);
  for (let longest = 0; longest < 20; longest++)
    t.equal(readInChunks(smile, dice(longest)).check.status, 'valid', `chunks of run ${longest}`);
  t.end();
});

tap.test('why an element is left to the rules in full is told', (t) => {
  const because = (change: (text: string) => string): UnsettledReason | undefined =>
    readInChunks(Buffer.from(`[${change(person(1))}]`), dice(3)).unsettled[0];
  t.equal(
    because((text) => text.replace('Holm', '\\u00c6\\/\\ud83d\\ude00')),
    undefined,
  );
  t.equal(
    because((text) => text.replace('ada.1', 'Ærø.Ñ')),
    undefined,
  );
  t.equal(
    because((text) => text.replace('{', '{"more":{},')),
    'nested',
  );
  t.equal(
    because((text) => text.replace('{', '{"Firstname":"A",')),
    'repeated-name',
  );
  t.equal(
    because((text) => text.replace('{', '{"__proto__":1,')),
    'members',
  );
  t.equal(
    because((text) => text.replace('+45', '0045')),
    'rule',
  );
  t.equal(
    because((text) => text.replace(':0}', ':0')),
    'json',
  );
  t.equal(
    because((text) => text.replace('"Ada"', '"A\\x"')),
    'rule',
  );
  t.end();
});

tap.test('names of Dimensions are sorted by code unit, not by byte', (t) => {
  const Dimensions = { '\u{1f600}': '1', '\uffee': '2', a: '3' };
  const expected = new Uint32Array(4);
  for (const text of [
    `{"\u{1f600}":"1","\uffee":"2","a":"3"}`,
    `{"\uffee":"2","a":"3","\\ud83d\\ude00":"1"}`,
  ]) {
    const body = Buffer.from(`[${person(1).replace('{', `{"Dimensions":${text},`)}]`);
    const { check, unsettled } = readInChunks(body, dice(4));
    const reading = readEmployee({ ...(JSON.parse(person(1)) as object), Dimensions });
    if (check.status !== 'valid' || !isComplete(reading)) throw new Error('not valid');
    digester.valuesDigestOf(canonicalBytes(reading.values), expected, 0);
    t.strictSame(check.list.digests.slice(0, 4), expected);
    t.strictSame(unsettled, []);
  }
  t.end();
});

tap.test('no text has NUL, however it is written', (t) => {
  const body = Buffer.from(`[${person(1).replace('Holm', 'Ho\\u0000lm')}]`);
  const problems = [`[0]: there is NUL, at byte ${body.indexOf('\\u0000')}`];
  t.strictSame(readInChunks(body, dice(5)).check, { status: 'invalid', problems });
  t.end();
});
