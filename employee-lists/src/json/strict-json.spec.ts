import { scaled } from '../testing/scaled.js';
import { maxJsonDepth } from './json-scanner.js';
import { describeJsonProblem, parseStrictJson } from './strict-json.js';

import t from 'tap';
import fc from 'fast-check';

const encoder = new TextEncoder();
const parse = (text: string) => parseStrictJson(encoder.encode(text));
const { numRuns, seed } = scaled(5_000, (text) => t.comment(text));

t.test('Given valid JSON, then its value comes back', (t) => {
  for (const text of [
    ' {"a":[1,-2.5e+3,0,true,false,null,"\\u00e6\\ud83d\\ude00/\\n"],"b":{}} ',
    '[]',
    '"æøå"',
    '0.1E-2',
  ]) {
    t.strictSame(parse(text), { ok: true, value: JSON.parse(text) as unknown }, text);
  }
  t.strictSame(parse('['.repeat(maxJsonDepth) + ']'.repeat(maxJsonDepth)).ok, true);
  t.end();
});

t.test('Given a text outside the rules, then the problem names the rule and the byte', (t) => {
  const refused: [string, number, string][] = [
    ['', 0, 'no value'],
    ['  \n', 3, 'no value'],
    ['{"a":1,}', 7, 'no member name'],
    ['{"a" 1}', 5, 'no colon after a member name'],
    ['[1 2]', 3, 'unexpected character'],
    ['[1]]', 3, 'text after the end of the value'],
    ['[1,]', 3, 'unexpected character'],
    ['{"a":1]', 6, 'unexpected character'],
    ['tru', 0, 'unexpected character'],
    ['nul1', 0, 'unexpected character'],
    ['01', 0, 'unexpected character'],
    ['-', 0, 'unexpected character'],
    ['1.', 0, 'unexpected character'],
    ['1e', 0, 'unexpected character'],
    ['NaN', 0, 'unexpected character'],
    ["'a'", 0, 'unexpected character'],
    ['[1', 2, 'the text ends too early'],
    ['"abc', 4, 'the text ends too early'],
    ['"abc\\', 5, 'the text ends too early'],
    ['"a\u0000"', 2, 'NUL'],
    ['"a\\u0000"', 2, 'NUL'],
    ['"a\tb"', 2, 'a control character in a text'],
    ['"\\x41"', 1, 'an unknown escape'],
    ['"\\u00g0"', 1, 'an unknown escape'],
    ['"\\ud83d"', 1, 'a lone surrogate'],
    ['"\\ude00"', 1, 'a lone surrogate'],
    ['"\\ud83d\\u0041"', 1, 'a lone surrogate'],
    ['{"a":1,"\\u0061":2}', 7, 'a member name that stands twice in its object'],
    ['{"__proto__":{}}', 1, 'a forbidden member name'],
    ['[{"\\u005f_proto__":1}]', 2, 'a forbidden member name'],
    ['{"constructor":{"prototype":{}}}', 16, 'a forbidden member name'],
    ['\u{feff}{}', 0, 'byte order mark'],
  ];
  for (const [text, at, what] of refused)
    t.strictSame(parse(text), { ok: false, problem: { at, what } }, JSON.stringify(text));
  t.end();
});

t.test('Given very deep nesting, then it is refused without a stack overflow', (t) => {
  for (const open of ['[', '{"a":']) {
    const result = parse(open.repeat(200_000));
    t.match(result, { ok: false, problem: { what: 'more than 64 levels of nesting' } });
  }
  t.end();
});

t.test('Given bytes that are no UTF-8, then the problem names the byte', (t) => {
  const bytes = (...tail: number[]) => Uint8Array.from([0x22, 0x61, ...tail, 0x22]);
  for (const tail of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x80]]) {
    const result = parseStrictJson(bytes(...tail));
    t.match(result, { ok: false, problem: { what: 'invalid UTF-8' } });
    if (!result.ok) t.ok(result.problem.at >= 2 && result.problem.at <= 3, String(result.problem.at));
  }
  t.match(parseStrictJson(Uint8Array.from([0xe2, 0x82])), { ok: false, problem: { what: 'invalid UTF-8' } });
  t.end();
});

t.test('Given a problem, then its sentence repeats nothing of the body', (t) => {
  const result = parse('{"Email":"ann@example.com" "x"}');
  t.notOk(result.ok);
  if (!result.ok)
    t.equal(
      describeJsonProblem(result.problem),
      'The body is not valid JSON: unexpected character at byte 27',
    );
  t.end();
});

t.test(`Given any text, then it is accepted only where JSON.parse accepts it, alike (seed ${seed})`, (t) => {
  const sameAsJsonParse = (text: string) => {
    const result = parse(text);
    let expected: unknown;
    try {
      expected = JSON.parse(text);
    } catch {
      return !result.ok;
    }
    return !result.ok || JSON.stringify(result.value) === JSON.stringify(expected);
  };
  const near = fc.array(fc.constantFrom(...Array.from('{}[]:,"\\u0d8ae+-.1 \ntruefalsn')), { maxLength: 24 });
  fc.assert(
    fc.property(near, (letters) => sameAsJsonParse(letters.join(''))),
    { numRuns: Math.max(100, numRuns), seed },
  );
  const plain = fc.json({ noUnicodeString: false, maxDepth: 5 });
  fc.assert(
    fc.property(plain, (text) => {
      if (/__proto__|\\u0000|\\ud[89a-f]/i.test(text)) return sameAsJsonParse(text);
      return parse(text).ok && sameAsJsonParse(text);
    }),
    { numRuns: Math.max(100, numRuns), seed },
  );
  t.pass();
  t.end();
});
