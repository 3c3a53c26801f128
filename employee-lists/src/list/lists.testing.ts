import fc from 'fast-check';
import { Digester } from './digests.js';
import {
  type EmployeeListCheck,
  EmployeeListReader,
  type OnUnsettled,
  type UnsettledReason,
} from './list-reader.js';
import { chunksOf, type Dice } from './respelled.testing.js';

export const digester = new Digester(Buffer.alloc(32, 7));

/** An employee as a caller sends it. */
export interface Sent {
  readonly EmployeeID: string;
  readonly Firstname: string;
  readonly Lastname: string;
  readonly Email: string;
  readonly EmploymentStatus: number;
  readonly [name: string]: unknown;
}

/** The first one mostly, the others now and then: else hardly any element would have nothing unusual about it. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom('Æsir', '美咲', 'Ólafur', 'Jens Jensen', 'x'.repeat(maxLength)),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'Æsir',
        '美咲',
        'Ólafur',
        'a\\b',
        'say "x"',
        'tab\tbed',
        '\u3000',
        '\u2003x',
        'さくら',
        'लक्ष्मी',
        '\ufeff',
        ' ',
        'x'.repeat(maxLength),
        '😀'.repeat(maxLength),
      ),
    },
  );

const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const optional50 = orNull(text(50));

const birthdays = mostly('1980-02-29', '1981-02-29', '1990-05-17T00:00:00Z', '1990-05-17T00:00:00.000Z', 'x');
const dates = mostly('2026-12-01T07:30:00Z', '2026-12-01T07:30:00.5Z', '2026-02-30T00:00:00Z');
const longNames = ['x', 'å'].flatMap((letter) => [letter.repeat(150), letter.repeat(151)]);
const names = mostly(
  ...(['Location', 'Division', 'Område', '😀', '\uffee', 'Department', 'Role', '10', '9', '_x'] as const),
  ...longNames,
  ...['', ' ', '\u3000', '\u2003x'],
);

/** Elements near the border between valid and not, and between plain and not. */
export const arbitraryElement: fc.Arbitrary<object> = fc.record(
  {
    EmployeeID: fc.oneof(
      { weight: 12, arbitrary: text(50) },
      { weight: 1, arbitrary: fc.constant('x'.repeat(51)) },
    ),
    Firstname: text(150),
    Lastname: text(150),
    Email: mostly(
      'a@example.com',
      'Å@example.com',
      'a@example',
      `a@${'b'.repeat(64)}.com`,
      'a..b@x-y.example',
      'a@-x.com',
      'a@x.com.',
    ),
    EmploymentStatus: mostly<number | null>(0, 1, 2, null),
    Gender: orNull(mostly(0, 1, 9, 3)),
    Phonenumber: orNull(mostly('+4512345678', '+12345', '+123456', '0045', `+${'1'.repeat(21)}`)),
    Birthday: orNull(birthdays),
    JobTitle: optional50,
    Department: optional50,
    Role: optional50,
    ImmediateManager: optional50,
    InvitationDate: orNull(dates),
    Dimensions: orNull(
      fc.dictionary(fc.oneof(names, fc.constantFrom('Division', 'Område')), orNull(text(50)), { maxKeys: 5 }),
    ),
    Valid: mostly<unknown>(true, 1.5, 'x', null, [], {}),
    _extra_field: fc.constant(1),
    extra: fc.constantFrom(-0.5e3, '😀'),
  },
  { requiredKeys: ['EmployeeID', 'Firstname', 'Lastname', 'Email', 'EmploymentStatus'] },
);

/** Valid bodies over a small stock of ids, so that two of them share some. */
export const arbitraryEmployees: fc.Arbitrary<Sent[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 25 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record(
          {
            EmployeeID: fc.constant(`${id}-ø😀`),
            Firstname: fc.constantFrom('Ada', 'Bo "B"', '美咲'),
            Lastname: fc.constantFrom('Holm', 'Þórsson'),
            Email: fc.constant(`e${id}@example.com`),
            EmploymentStatus: fc.constantFrom(0, 1),
            JobTitle: orNull(fc.constantFrom('A', 'B\\')),
            Birthday: orNull(fc.constantFrom('1990-05-17T00:00:00Z', '1990-05-17T00:00:00.0Z', '1990-05-17')),
            Dimensions: orNull(
              fc.dictionary(fc.constantFrom('x', 'y', '7'), fc.constantFrom('1', '2'), { maxKeys: 2 }),
            ),
          },
          { requiredKeys: ['EmployeeID', 'Firstname', 'Lastname', 'Email', 'EmploymentStatus'] },
        ),
      ),
    ),
  )
  .map((employees) => [...employees]);

interface Reading {
  readonly onUnsettled?: OnUnsettled | undefined;
  readonly expectedBytes?: number;
  readonly chunks?: Iterable<Uint8Array>;
}

/** Gives the list only if it has fewer elements than `digestBelow`. */
export function checkEmployeeList(
  body: Uint8Array,
  digester: Digester,
  digestBelow: number,
  { onUnsettled, expectedBytes = body.length, chunks = [body] }: Reading = {},
): EmployeeListCheck {
  const bytes = (start: number, end: number) =>
    Buffer.from(body.buffer, body.byteOffset + start, end - start);
  const reader = new EmployeeListReader({ digester, digestBelow, expectedBytes, bytes, onUnsettled });
  try {
    for (const chunk of chunks) reader.feed(chunk);
    return reader.finish();
  } finally {
    reader.close();
  }
}

export function readEmployeeList(body: Uint8Array, digester: Digester, onUnsettled?: OnUnsettled) {
  const check = checkEmployeeList(body, digester, Infinity, { onUnsettled });
  if (check.status === 'checked') throw new Error('a list of any length is read');
  return check;
}

/** Reads a body in random chunks; with why the module has left elements to the rules in full. */
export function readInChunks(body: Buffer, roll: Dice) {
  const unsettled: UnsettledReason[] = [];
  const onUnsettled: OnUnsettled = (reason) => unsettled.push(reason);
  const expectedBytes = roll(2) === 0 ? body.length : 0;
  const options = { onUnsettled, expectedBytes, chunks: chunksOf(body, roll) };
  return { check: checkEmployeeList(body, digester, Infinity, options), unsettled };
}
