import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import tap from 'tap';
import { parseStrictJson } from '../json/strict-json.js';
import { digester, readInChunks } from './lists.testing.js';
import { type EmployeeListCheck, EmployeeListReader, type UnsettledReason } from './list-reader.js';
import { isComplete, readEmployee, canonicalBytes } from './read-employee.js';
import { dice } from './respelled.testing.js';

const person = (index: number): string =>
  JSON.stringify({
    EmployeeID: `E-${index}`,
    Firstname: 'Ada',
    Lastname: 'Holm',
    Phonenumber: `+45${10_000_000 + index}`,
    Email: `ada.${index}@example.com`,
    EmploymentStatus: 0,
  });

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What typed arrays hold that somebody still needs: a collection may leave some to the next one. */
function retainedBytes(): number {
  const tries = Array.from({ length: 4 }, () => (collect(), process.memoryUsage().arrayBuffers));
  return Math.min(...tries);
}

/** Reads a body that comes at once; `whole` is called when all of it was read. */
function readWhole(body: Buffer, whole = (): void => undefined): { check: EmployeeListCheck } {
  const bytes = (start: number, end: number): Buffer => body.subarray(start, end);
  const reader = new EmployeeListReader({ digester, digestBelow: Infinity, expectedBytes: 0, bytes });
  try {
    reader.feed(body);
    whole();
    return { check: reader.finish() };
  } finally {
    reader.close();
  }
}

tap.test('what an element repeats is told without a look at the body', (t) => {
  const owner = (index: number): string => person(index).replace('{', `{"note":"${'x'.repeat(500_000)}",`);
  const repeats = Array.from({ length: 3_000 }, (_, index) =>
    person(index + 2).replace(`E-${index + 2}"`, `E-${index % 2}"`),
  );
  const body = Buffer.from(`[${[owner(0), owner(1), ...repeats].join(',')}]`);
  const reader = new EmployeeListReader({
    digester,
    digestBelow: 0,
    expectedBytes: 0,
    onUnsettled: () => t.fail('all of them are settled by the module'),
    bytes: () => {
      throw new Error('an owner is read again');
    },
  });
  reader.feed(body);
  const check = reader.finish();
  reader.close();
  if (check.status !== 'invalid') throw new Error(check.status);
  t.equal(check.problems[0], "[2] EmployeeID 'E-0': EmployeeID is the same as that of [0]");
  t.equal(check.problems[999], "[1001] EmployeeID 'E-1': EmployeeID is the same as that of [1]");
  t.equal(check.problems[1000], '... and 2000 more');
  t.end();
});

tap.test('a table that grows at an element of the full rules invents no repeats', (t) => {
  const name = (at: number): string => `${at}${'界'.repeat(40)}`;
  const dimensions = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [name(at), '界'.repeat(40)]));
  const long = (index: number): string =>
    JSON.stringify({ ...(JSON.parse(person(index)) as object), Dimensions: dimensions });
  // Tables that begin with 32 slots grow here.
  const growsAt = new Set(Array.from({ length: 12 }, (_, doubled) => 24 * 2 ** doubled));
  const list = Array.from({ length: 50_000 }, (_, index) => (growsAt.has(index) ? long : person)(index));
  const { check } = readWhole(Buffer.from(`[${list.join()}]`));
  t.match(check, { status: 'valid' });
  t.end();
});

tap.test('of an invalid list nothing is kept', (t) => {
  const body = Buffer.from(`[1,${Array.from({ length: 100_000 }, (_, index) => person(index)).join()}]`);
  const before = retainedBytes();
  const { check } = readWhole(body, () => {
    const held = retainedBytes() - before;
    // Bounds and digests of the elements weigh 4.2 MB.
    t.ok(held < 1_000_000, `${held} bytes are held for ${body.length}`);
  });
  t.strictSame(check, { status: 'invalid', problems: ['[0]: must be an object'] });
  t.end();
});

tap.test('an invalid list of short elements is not read to its end', (t) => {
  for (const short of ['1', '{}', '""', '{"EmployeeID":"1"}']) {
    const body = Buffer.from(`[${`${short},`.repeat(16_000_000 / short.length)}${short}]`);
    const { check } = readWhole(body);
    if (check.status !== 'invalid') throw new Error(check.status);
    t.equal(check.problems.length, 1_001);
    t.match(check.problems[1_000], /^\.\.\. and \d{5} more$/, short);
  }
  const cutOff = Buffer.concat([Buffer.from(`[${'1,'.repeat(100_000)}`), Buffer.from([0xff])]);
  const problems = ['The body is not valid JSON: invalid UTF-8 at byte 200001'];
  t.strictSame(readWhole(cutOff).check, { status: 'invalid', problems });
  t.end();
});

tap.test('the place of a problem does not depend on where chunks end', (t) => {
  for (const front of ['', ' ', '  \n', ' '.repeat(30)])
    for (const [text, what] of [
      [`[${person(1)}`, 'no comma and no end of the array'],
      ['[1', 'no comma and no end of the array'],
      [`[${person(1)} ,`, 'an element that does not end'],
    ] as const) {
      const body = Buffer.from(front + text);
      const problems = [`The body is not valid JSON: ${what} at byte ${body.length}, element [1]`];
      t.strictSame(readWhole(body).check, { status: 'invalid', problems }, body.toString());
      t.strictSame(readInChunks(body, dice(body.length)).check, { status: 'invalid', problems });
    }
  t.end();
});

tap.test('a comma without an element is named', (t) => {
  const lone = (at: number, element: number): string =>
    `The body is not valid JSON: no element beside a comma at byte ${at}, element [${element}]`;
  for (const [text, problem] of [
    [`[${person(1)},]`, lone(person(1).length + 2, 1)],
    [`[${person(1)},,${person(2)}]`, lone(person(1).length + 2, 1)],
    ['[,]', lone(1, 0)],
  ] as const)
    t.strictSame(readWhole(Buffer.from(text)).check, { status: 'invalid', problems: [problem] }, text);
  t.end();
});

tap.test('arrays and objects lie 64 deep, the list included', (t) => {
  const nested = (levels: number): Buffer =>
    Buffer.from(`[${person(1).replace('{', `{"note":${'['.repeat(levels)}${']'.repeat(levels)},`)}]`);
  t.equal(readWhole(nested(62)).check.status, 'valid');
  const problems = [`[0]: there is more than 64 levels of nesting, at byte ${nested(63).indexOf('[]')}`];
  t.strictSame(readWhole(nested(63)).check, { status: 'invalid', problems });
  t.strictSame(readInChunks(nested(63), dice(1)).check, { status: 'invalid', problems });
  t.equal(parseStrictJson(nested(62)).ok, true, 'as everywhere');
  t.equal(parseStrictJson(nested(63)).ok, false);
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
  t.strictSame(valid.unsettled, []);
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
  for (const [tail, at] of [
    [[0xff], 0],
    [[0xc3], 0],
    [[0xe2, 0x82], 1],
    [[0xf0, 0x9f, 0x98], 2],
    [[0xed, 0xa0, 0x80], 1],
  ] as const) {
    for (const front of ['', '[', `[${person(1)} x`]) {
      const body = Buffer.concat([Buffer.from(front), Buffer.from(tail)]);
      const problems = [`The body is not valid JSON: invalid UTF-8 at byte ${front.length + at}`];
      t.strictSame(readInChunks(body, dice(front.length)).check, { status: 'invalid', problems });
    }
  }
  const marked = Buffer.from(`\u{feff}[${person(1)}]`);
  const problems = ['The body is not valid JSON: byte order mark at byte 0'];
  for (let longest = 0; longest < 5; longest++)
    t.strictSame(readInChunks(marked, dice(longest)).check, { status: 'invalid', problems });
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
    because((text) => text.replace('{', '{"more":{},').replace(':0}', ':0.0e1}')),
    undefined,
  );
  t.equal(
    because((text) => text.replace('{', '{"Firstname":"A",')),
    'breach',
  );
  t.equal(
    because((text) => text.replace('{', '{"__proto__":1,')),
    'breach',
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
    'json',
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
