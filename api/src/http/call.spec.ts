import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { prefersAsync, readIdempotencyKey, readIfMatch } from './call.js';
import { requestId } from './request-log.js';

import fc from 'fast-check';
import t from 'tap';

t.test('Idempotency-Key', (t) => {
  const key = (...values: string[]) => {
    const reading = readIdempotencyKey(values);
    return reading.ok ? reading.value : 'wrong';
  };
  t.equal(key(), undefined);
  t.equal(key('8e03978e-40d5-43dd-bc93-6894a57f9324'), '8e03978e-40d5-43dd-bc93-6894a57f9324');
  t.equal(key('"a b, c"'), 'a b, c');
  t.equal(key('a"b'), 'a"b');
  t.equal(key(String.raw`"a\"\\b"`), String.raw`a"\b`);
  t.equal(key('x'.repeat(255)), 'x'.repeat(255));
  t.equal(key(`"${'x'.repeat(255)}"`), 'x'.repeat(255));
  for (const bad of [
    '',
    '""',
    '"',
    '"a',
    '"a"b',
    String.raw`"\a"`,
    '"a\\"',
    'x'.repeat(256),
    'é',
    'a\tb',
    'a\x7f',
  ])
    t.equal(key(bad), 'wrong', JSON.stringify(bad));
  t.equal(key('a', 'a'), 'wrong', 'twice');
  const printable = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(printable, (text) => {
      const quoted = `"${text.replace(/["\\]/g, '\\$&')}"`;
      t.equal(key(quoted), text.length >= 1 && text.length <= 255 ? text : 'wrong');
    }),
  );
  t.end();
});

t.test('Prefer', (t) => {
  for (const wanted of [
    ['respond-async'],
    ['Respond-ASYNC'],
    ['wait=10, respond-async'],
    ['handling=lenient', 'respond-async'],
    [' respond-async ; wait=1,'],
    ['note="a, b";x , respond-async=""'],
  ])
    t.ok(prefersAsync(wanted), JSON.stringify(wanted));
  for (const other of [
    [],
    [''],
    ['return=minimal'],
    ['respond-asynchronously'],
    ['x-respond-async'],
    ['note="x, respond-async"'],
    ['note=";respond-async"; respond-async'],
    [',;='],
    ['note="x\\", respond-async'],
    ['note="\\'],
  ])
    t.notOk(prefersAsync(other), JSON.stringify(other));
  t.end();
});

t.test('If-Match', (t) => {
  const revisions = (...values: string[]) => {
    const reading = readIfMatch(values);
    return reading.ok ? reading.value : 'wrong';
  };
  t.equal(revisions(), null);
  t.equal(revisions(' * '), null);
  t.same(revisions('"5"'), [5]);
  t.same(revisions('"0"'), [0]);
  t.same(revisions('"5" ,"7"', '"9"'), [5, 7, 9]);
  t.same(revisions(', "5",, "7",'), [5, 7], 'empty elements count for nothing');
  t.same(revisions('W/"5"'), [], 'a weak tag matches nothing');
  t.same(revisions('W/"5", "6"'), [6]);
  t.same(revisions('"abc", "05", "5.0", "-1", "9999999999999999", ""'), [], 'nor does what is no revision');
  t.same(revisions('"a,b", "3"'), [3]);
  for (const bad of [
    '',
    ',',
    '5',
    '"5',
    '5"',
    '"5" "6"',
    '*, "5"',
    "'5'",
    'w/"5"',
    'W/ "5"',
    '"a b"',
    '"5"x',
  ])
    t.equal(revisions(bad), 'wrong', JSON.stringify(bad));
  t.equal(revisions('*', '*'), 'wrong');
  t.end();
});

/** Milliseconds of processor time: the least of three runs, because other work of the machine can only add to it. */
function processorMs(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const begun = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

t.test('each header is read in time that grows with its length', (t) => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    'Idempotency-Key': (text) => readIdempotencyKey([text]),
    Prefer: (text) => prefersAsync([text]),
    'If-Match': (text) => readIfMatch([text]),
    'X-Request-Id': (text) => {
      const request = new IncomingMessage(new Socket());
      request.headers['x-request-id'] = text;
      return requestId(request, () => 'new');
    },
  };
  const fragment = fc.constantFrom(
    '"',
    '\\"',
    '\\',
    ' ',
    ',',
    '"5"',
    ' , ',
    ';',
    '=',
    'W/',
    'respond-async',
    'x',
  );
  const parts = fc.tuple(fragment, fc.array(fragment, { minLength: 1, maxLength: 4 }), fragment);
  // Eight times what a request may hold: then what grows with the square takes seconds, what does not a few milliseconds.
  const longText = ([first, repeated, last]: readonly [string, readonly string[], string]): string => {
    const unit = repeated.join('');
    return first + unit.repeat(Math.ceil((128 * 1024) / unit.length)) + last;
  };
  for (const [name, readHeader] of Object.entries(readers))
    t.doesNotThrow(
      () =>
        fc.assert(
          fc.property(parts, (each) => processorMs(() => readHeader(longText(each))) < 250),
          { numRuns: 100, examples: [[['"', ['\\"'], '']], [['"5"', [' ', ','], '"']]] },
        ),
      name,
    );
  t.end();
});
