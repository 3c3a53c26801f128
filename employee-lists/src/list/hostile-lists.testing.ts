/** The text of an element; the large ones of a shape have about so many bytes. */
export type ElementShape = (element: number, large: number) => string;

const times = (count: number, make: (index: number) => string, between = ''): string =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index)).join(between);
const short = (index: number): string => index.toString(36);
const pad = (bytes: number): string => 'x'.repeat(Math.max(1, Math.floor(bytes)));

/** An employee of the fields that must be there, of few bytes, and what more it has. */
const smallest = (element: number, more = ''): string =>
  `{"EmployeeID":"${short(element)}","Firstname":"A","Lastname":"B","Email":"${short(element)}@b.c","EmploymentStatus":0${more}}`;
const person = (element: number, more = ''): string =>
  `{"EmployeeID":"E-${element}","Firstname":"Ada","Lastname":"Holm","Phonenumber":"+45${10_000_000 + element}","Email":"ada.${element}@example.com","EmploymentStatus":0${more}}`;

/** What lists of people are like: the others are compared to it. */
export const plainShape: ElementShape = (element) =>
  person(
    element,
    `,"Gender":1,"Birthday":"1980-02-${10 + (element % 18)}","JobTitle":"Engineer ${element % 100}","Department":"Research ${element % 50}","Role":"Developer","ImmediateManager":"E-${element % 1000}","Dimensions":{"Location":"Copenhagen","Division":"North ${element % 9}"}`,
  );

/** An employee with these members more. */
const having =
  (more: (element: number, large: number) => string): ElementShape =>
  (element, large) =>
    smallest(element, `,${more(element, large)}`);

/** An employee with this value under a name that is no field. */
const unknown = (value: (large: number, element: number) => string): ElementShape =>
  having((element, large) => `"x":${value(large, element)}`);

const unknownNames = (count: number): string => times(count, (index) => `"${short(index)}":1`, ',');
const dimensions = (count: number, entry: (index: number) => string): string =>
  `"Dimensions":{${times(count, entry, ',')}}`;

/** An employee with one text of it changed. */
const changed =
  (from: string, to: (element: number) => string): ElementShape =>
  (element) =>
    smallest(element).replace(from, to(element));

/** The first ones are large, and the others repeat their EmployeeIDs. */
const repeating =
  (owners: number, text: (large: number) => string): ElementShape =>
  (element, large) =>
    element < owners
      ? person(element, `,"x":"${text(large)}"`)
      : person(element).replace(`E-${element}"`, `E-${(element * 7) % owners}"`);

const escaped = (text: string): string =>
  Buffer.from(text).reduce((all, byte) => `${all}\\u00${byte.toString(16)}`, '');

/** Elements that are no employees, or as short as may be. */
const shortShapes = {
  ones: () => '1',
  digits: () => '11111111111111111111',
  booleans: () => 'true',
  'empty texts': () => '""',
  'empty objects': () => '{}',
  'empty arrays': () => '[]',
  'empty names': () => '{"":""}',
  'ids alone': (element) => `{"EmployeeID":"${element}"}`,
  'smallest employees': (element) => smallest(element),
} satisfies Record<string, ElementShape>;

/** What is compared of elements is alike. */
const repeatedShapes = {
  'one id': (element) => person(element).replace(`E-${element}"`, 'E"'),
  'one address': (element) => person(element).replace(`ada.${element}@`, 'a@'),
  'one element': () => person(0),
  'one small element': () => smallest(0),
  'ids of two large owners': repeating(2, pad),
  'ids of many owners': repeating(50, (large) => pad(large / 20)),
  'ids of two escaped owners': repeating(2, (large) => times(large / 6, () => '\\u0041')),
  'ids alone of large owners': (element, large) =>
    element < 2 ? `{"EmployeeID":"${element}","x":"${pad(large)}"}` : `{"EmployeeID":"${element % 2}"}`,
} satisfies Record<string, ElementShape>;

/** Members that are no fields. */
const unknownShapes = {
  'an empty object': unknown(() => '{}'),
  'an empty array': unknown(() => '[]'),
  'a deep array': unknown(() => '['.repeat(60) + ']'.repeat(60)),
  'a too deep array': unknown(() => '['.repeat(70) + ']'.repeat(70)),
  'a wide object': unknown(() => `{${unknownNames(400)}}`),
  '20 unknown names': having(() => unknownNames(20)),
  '1,000 unknown names': having(() => unknownNames(1_000)),
  'unknown names without end': having((_, large) => unknownNames(large / 9)),
  'a long text': unknown((large) => `"${pad(large)}"`),
  'a text over the window': unknown(() => `"${pad(13_000)}"`),
  'a long escaped text': unknown((large) => `"${times(large / 6, () => '\\u0041')}"`),
  'long line ends': unknown((large) => `"${times(large / 2, () => '\\n')}"`),
  'a long text of wide letters': unknown((large) => `"${times(large / 4, () => '\u{1f600}')}"`),
  'wide letters': unknown(() => `"${'\u{1f600}'.repeat(20)}"`),
  'long numbers': unknown((large) => `[${times(large / 2, () => '1', ',')}]`),
  'long digits': unknown((large) => times(large, () => '1')),
  'long fractions': unknown((large) => `[${times(large / 8, () => '1.5e300', ',')}]`),
  'a number beyond all': unknown(() => '1e400'),
  'long empty objects': unknown((large) => `[${times(large / 3, () => '{}', ',')}]`),
  'long objects': unknown((large) => `[${times(large / 8, () => '{"a":1}', ',')}]`),
  'long deep arrays': unknown(
    (large) => `[${times(large / 121, () => '['.repeat(60) + ']'.repeat(60), ',')}]`,
  ),
  'long white space': unknown((large) => `[${' '.repeat(Math.floor(large))}1]`),
  'over 1 MiB': unknown(() => `"${pad(1_060_000)}"`),
  'a forbidden name': having(() => '"__proto__":1'),
  'a name twice': having(() => '"Gender":1,"Gender":1'),
  NUL: unknown(() => '"\\u0000"'),
  'half a letter': unknown(() => '"\\ud800"'),
} satisfies Record<string, ElementShape>;

const dimensionShapes = {
  'dimensions without end': having((_, large) => dimensions(large / 11, (index) => `"d${index}":"v"`)),
  'null dimensions without end': having((_, large) => dimensions(large / 11, (index) => `"d${index}":null`)),
  '150 null dimensions': having(() => dimensions(150, (index) => `"d${index}":null`)),
  '100 dimensions': having(() => dimensions(100, (index) => `"d${index}":"v"`)),
  '100 dimensions backwards': having(() =>
    dimensions(100, (index) => `"${'p'.repeat(40)}${999 - index}":"v"`),
  ),
  '101 dimensions': having(() => dimensions(101, (index) => `"d${index}":"v"`)),
  'dimensions of numbers': having(() => dimensions(4, (index) => `"d${index}":1`)),
  'a mirrored dimension': having(() => '"Role":"x","Dimensions":{"Role":"x"}'),
  'a long dimension name': having(() => `"Dimensions":{"${pad(151)}":"x"}`),
} satisfies Record<string, ElementShape>;

/** Fields that break rules, or are spelled or folded the long way. */
const fieldShapes = {
  'a wrong code': (element) => person(element, ',"Gender":5'),
  'a wrong code of few bytes': having(() => '"Gender":5'),
  'a wrong birthday': having(() => '"Birthday":"1980-02-31"'),
  'fields missing': (element) => `{"EmployeeID":"${element}","Firstname":"A","Lastname":"B"}`,
  'fields wrong': () => '{"Gender":5,"Role":1,"JobTitle":1,"Birthday":1,"Phonenumber":1}',
  'a long name': changed('"A"', () => `"${pad(151)}"`),
  'a blank name': changed('"A"', () => `"${' '.repeat(100)}"`),
  'escaped names': changed('"Firstname"', () => '"\\u0046irstname"'),
  'escaped throughout': (element) =>
    smallest(element).replace(/"([\w@.]+)"/g, (_, text: string) => `"${escaped(text)}"`),
  'addresses to fold': changed('@b.c', () => '@b\u0130.c'),
  'addresses of all pages': changed(
    '@b.c',
    (element) => `@b${String.fromCodePoint(0x4e00 + ((element * 257) % 20_000))}.c`,
  ),
  'addresses of rare pages': changed(
    '@b.c',
    (element) => `@b${String.fromCodePoint((element % 2 ? 0xac00 : 0x20000) + ((element * 257) % 11_000))}.c`,
  ),
  'white space': (element) => smallest(element) + ' '.repeat(100),
} satisfies Record<string, ElementShape>;

/** Lists that somebody sends to hold others up: each makes another part of the reader work. */
export const hostileShapes: Readonly<Record<string, ElementShape>> = {
  ...shortShapes,
  ...repeatedShapes,
  ...unknownShapes,
  ...dimensionShapes,
  ...fieldShapes,
};

/** Elements of a shape, of so many bytes together at least; each of the large ones is up to a quarter of that. */
export function elementsOf(shape: ElementShape, bytes: number, most = Number.POSITIVE_INFINITY): string[] {
  const large = Math.min(1_000_000, bytes / 4);
  const elements: string[] = [];
  for (let length = 0; length < bytes && elements.length < most; length += elements.at(-1)?.length ?? 0)
    elements.push(shape(elements.length, large));
  return elements;
}

const batchLetters = 1_000_000;

/** A list of elements of a shape, of so many bytes at least; longer than a text or an array may be. */
export function listOf(shape: ElementShape, bytes: number): Buffer {
  const large = Math.min(1_000_000, bytes / 4);
  const parts: Buffer[] = [];
  let [batch, length] = ['', 0];
  for (let element = 0; length < bytes; element++) {
    batch += `${element === 0 ? '[' : ','}${shape(element, large)}`;
    if (batch.length < Math.min(bytes - length, batchLetters)) continue;
    const part = Buffer.from(batch);
    parts.push(part);
    length += part.length;
    batch = '';
  }
  return Buffer.concat([...parts, Buffer.from(']')]);
}
