import assert from 'node:assert/strict';
import { type EmployeeValues, employeesExample } from '@rollcall/contracts';
import fc from 'fast-check';
import tap from 'tap';
import { defaultSettings } from '../companies/decide.js';
import { invitationDuePlanner } from '../invitations/invitation-due.js';
import { type IgnoredFields, shownName, parseStrictJson, foldEmail } from '@rollcall/employee-lists/text';
import {
  maxIgnoredNames,
  scaled,
  toHex,
  arbitraryElement,
  arbitraryEmployees,
  digester,
  readInChunks,
  fieldNames,
  elementsOf,
  hostileShapes,
  type EmployeeReading,
  type Dice,
  dice,
  mutated,
  respelled,
  valuesText,
  readEmployeeList,
} from '@rollcall/employee-lists/testing';
import { isComplete, readEmployee, canonicalBytes } from '@rollcall/employee-lists';
import { configured, when } from './employees.testing.js';

const { numRuns: elements, seed } = scaled(200_000, (text) => tap.comment(text));

const mostBytes = 1024 * 1024;

/** An element of a list, as `readEmployee` reads it; undefined where its text is refused before. */
const read = (text: string): EmployeeReading | undefined => {
  if (Buffer.byteLength(text) > mostBytes)
    return { values: {}, problems: [`must be at most ${mostBytes} bytes`] };
  const parsed = parseStrictJson(Buffer.from(text));
  return parsed.ok ? readEmployee(parsed.value) : undefined;
};

/** The problems of a list of sound elements, by `readEmployee` and by comparing texts. */
function expectedProblems(readings: readonly EmployeeReading[]): string[] {
  const owners = { EmployeeID: new Map(), Email: new Map(), Phonenumber: new Map() } as const;
  return readings.flatMap(({ values, problems }, element) => {
    const found = [...problems];
    for (const column of ['EmployeeID', 'Email', 'Phonenumber'] as const) {
      const text = column === 'Email' ? foldEmail(values.Email ?? '') : values[column];
      if (values[column] === undefined) continue;
      const owner: unknown = owners[column].get(text);
      if (typeof owner === 'number') found.push(`${column} is the same as that of [${owner}]`);
      else owners[column].set(text, element);
    }
    const id = values.EmployeeID === undefined ? '' : ` EmployeeID '${values.EmployeeID}'`;
    return found.map((problem) => `[${element}]${id}: ${problem}`);
  });
}

/** idDigest and digest of valid values. */
function expectedDigests(values: EmployeeValues): readonly [string, string] {
  const words = new Uint32Array(8);
  digester.idDigestOf(values.EmployeeID, words, 0);
  digester.valuesDigestOf(canonicalBytes(values), words, 4);
  return [toHex(words, 0), toHex(words, 4)];
}

/** The entries of `added` in an event, made the slow way; nobody is invited later than asked. */
const expectedEntry = (values: EmployeeValues, index: number, due: string | null): string => {
  const [idDigest, digest] = expectedDigests(values);
  const head = JSON.stringify({ number: index + 1, idDigest, digest, invitationDue: due });
  return `${head.slice(0, -1)},"values":${valuesText(values)}}`;
};

function eventText(body: Buffer): string {
  const decision = when(configured({ autoInvite: false }), body);
  if (decision.kind !== 'replaced') return decision.kind;
  return Buffer.concat(Array.from(decision.source.chunks(), (chunk) => Buffer.from(chunk))).toString();
}

interface Valid {
  readonly text: string;
  readonly values: EmployeeValues;
  /** Names that are no fields. */
  readonly unknown: readonly string[];
}

/** Of elements that follow all rules: what they digest to, and the text of their event. */
function checkValid(valid: readonly Valid[], roll: Dice): void {
  const texts = valid.map(({ text }) => text);
  const values = valid.map((each) => each.values);
  const body = bodyOf(texts, roll);
  const { check } = readInChunks(body, roll);
  if (check.status !== 'valid') return assert.fail(`the list is ${check.status}`);
  const { list } = check;
  assert.equal(list.count, texts.length);
  for (const [element, each] of values.entries()) {
    const digests = [toHex(list.ids, element * 4), toHex(list.digests, element * 4)];
    assert.deepEqual(digests, expectedDigests(each), texts[element]);
    assert.equal(list.withUnknown[element], Number((valid[element]?.unknown.length ?? 0) > 0));
  }
  checkIgnored(
    valid.flatMap(({ unknown }) => unknown),
    check.ignored ?? {},
  );
  const due = invitationDuePlanner(defaultSettings(7), Date.parse('2026-11-20T09:00:00Z'));
  const entries = values.map((each, index) =>
    expectedEntry(each, index, each.InvitationDate ? due(each.InvitationDate) : null),
  );
  const written = eventText(body);
  if (texts.length > 0)
    assert.equal(
      written.slice(written.indexOf(',"added":[')),
      `,"added":[${entries.join(',')}],"changed":[],"left":[],"restored":[]}`,
    );
}

/** As the bytes have them: half of a surrogate pair, which a mutation may leave, has become U+FFFD in a body. */
const unknownNames = (text: string): string[] =>
  Object.keys(JSON.parse(Buffer.from(text).toString()) as object).filter(
    (name) => !fieldNames.some((field) => field === name),
  );

/** Each name that is shown has its whole count, and `...` the rest: which names come first depends on the text. */
function checkIgnored(names: readonly string[], ignored: IgnoredFields): void {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(shownName(name), (counts.get(shownName(name)) ?? 0) + 1);
  const { '...': others, ...shown } = ignored;
  assert.equal(Object.keys(shown).length, Math.min(maxIgnoredNames, counts.size));
  for (const [name, count] of Object.entries(shown)) assert.equal(count, counts.get(name), name);
  const rest = names.length - Object.values(shown).reduce((sum, count) => sum + count, 0);
  assert.equal(others, rest > 0 ? rest : undefined);
}

/** Checks a list of elements, and then those of them that are valid. How many of them the module has settled itself. */
function checkTexts(texts: readonly string[], roll: Dice): number {
  const sound = texts.filter(isSound);
  checkMalformed(texts, roll);
  const readings = sound.map(read);
  const body = bodyOf(sound, roll);
  const { check, unsettled } = readInChunks(body, roll);
  if (!readings.includes(undefined)) {
    const problems = expectedProblems(readings.filter((reading) => reading !== undefined));
    assert.deepEqual(check.status === 'invalid' ? check.problems : [], problems, body.toString());
  } else assert.equal(check.status, 'invalid');
  const valid = sound.flatMap((text, element) => {
    const reading = readings[element];
    if (!reading || !isComplete(reading)) return [];
    return [{ text, values: reading.values, unknown: unknownNames(text) }];
  });
  checkValid(withoutRepeats(valid), roll);
  return sound.length - unsettled.length;
}

/** What is no list is told alike, however it comes. */
function checkMalformed(texts: readonly string[], roll: Dice): void {
  const complete = bodyOf(texts, roll);
  const body = roll(4) === 0 ? complete.subarray(0, roll(complete.length)) : complete;
  const whole = readEmployeeList(body, digester);
  const { check } = readInChunks(body, roll);
  assert.equal(check.status, whole.status);
  if (check.status === 'invalid' && whole.status === 'invalid')
    assert.deepEqual(check.problems, whole.problems);
}

function withoutRepeats(valid: readonly Valid[]): Valid[] {
  const seen = new Set<string>();
  return valid.filter(({ values: { EmployeeID, Email, Phonenumber } }) => {
    const own = [`i${EmployeeID}`, `e${foldEmail(Email)}`, `p${Phonenumber ?? EmployeeID}`];
    if (own.some((key) => seen.has(key))) return false;
    for (const key of own) seen.add(key);
    return true;
  });
}

const bodyOf = (texts: readonly string[], roll: Dice): Buffer =>
  Buffer.from(`${roll(4) === 0 ? ' \n' : ''}[${texts.join(roll(2) === 0 ? ',' : ' ,\t')}]`);

/** A JSON text whose structure is sound, so that it is one element of a list. */
function isSound(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bases: readonly object[] = [
  ...employeesExample,
  ...fc.sample(arbitraryElement, { numRuns: 1_000, seed }),
  ...fc.sample(arbitraryEmployees, { numRuns: 50, seed }).flat(),
];

/** An element, mostly with an id and contacts of its own. */
const ownOf = (element: object, number: number, roll: Dice): object =>
  roll(4) === 0
    ? element
    : {
        ...element,
        EmployeeID: `p${number}`,
        Email: `Ærø.${number}@EXÄMPLE.com`,
        Phonenumber: `+45${number}00000`,
      };

tap.test('property: the module reads a list as `readEmployee` does, wherever chunks end', (t) => {
  const roll = dice(seed);
  let read = 0;
  let settled = 0;
  while (read < elements) {
    const texts = Array.from({ length: 1 + roll(30) }, () => {
      const element = respelled(ownOf(bases[roll(bases.length)] ?? {}, read + roll(1_000), roll), roll);
      return roll(3) === 0 ? mutated(element, roll) : element;
    });
    settled += checkTexts(texts, roll);
    read += texts.length;
  }
  t.ok(settled > read / 10, `of ${read} elements the module has settled ${settled}`);
  t.end();
});

tap.test('property: a hostile list is read as `readEmployee` does too', (t) => {
  const roll = dice(seed);
  for (const [name, shape] of Object.entries(hostileShapes))
    for (const bytes of [600, 20_000 + roll(40_000)]) {
      const texts = elementsOf(shape, bytes, 90);
      t.doesNotThrow(() => checkTexts(texts, roll), `${texts.length} elements: ${name}`);
      const others = texts.map((text) => (roll(3) === 0 ? mutated(text, roll) : text));
      t.doesNotThrow(() => checkTexts(others, roll), `with places changed: ${name}`);
    }
  t.end();
});
