import { astralTitles, scripts, type Script } from './names.js';
import { spellings, type Spelling } from './spellings.js';

/** An employee as a caller sends it (interface.md, "Employee"): optional members are absent or null at times. */
export interface GeneratedEmployee {
  EmployeeID: string;
  InvitationDate?: string | null;
  Firstname: string;
  Lastname: string;
  Phonenumber?: string | null;
  Email: string;
  Gender?: number | null;
  EmploymentStatus: number;
  Birthday?: string | null;
  JobTitle?: string | null;
  Department?: string | null;
  Role?: string | null;
  ImmediateManager?: string | null;
  Dimensions?: Record<string, string | null> | null;
}

export interface GeneratorOptions {
  /** The same seed gives the same employees on every machine; 1 by default. */
  readonly seed?: number;
  /** Every hundredth employee has another Department and JobTitle than without it. */
  readonly onePercentChanged?: boolean;
  /** Most e-mail addresses in the script of the name; by default as people have them, in ASCII but for one in fifty. */
  readonly wideAddresses?: boolean;
}

export interface BodyOptions extends GeneratorOptions {
  /** The same set, its elements and their members in another order, with other white space. */
  readonly shuffled?: boolean;
  /** Of a body that is not shuffled; plain by default. */
  readonly spelling?: Spelling;
}

/** A source of whole numbers that depends on nothing but its arguments. */
function dice(seed: number, index: number): (sides: number) => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

type Roll = (sides: number) => number;

function pick<T>(roll: Roll, from: readonly [T, ...T[]] | readonly T[]): T {
  const chosen = from[roll(from.length)];
  if (chosen === undefined) throw new RangeError('Nothing to choose from');
  return chosen;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const localPart = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

const latin: Readonly<Record<string, string>> = {
  ø: 'oe',
  æ: 'ae',
  å: 'aa',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ß: 'ss',
};
/** A local part as it is on a business card; of what is not written in Latin letters nothing is left. */
const asciiPart = (name: string): string =>
  localPart(name)
    .replaceAll(/[øæåðþđß]/g, (letter) => latin[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]/g, '');

function addressOf(index: number, [first, last]: readonly [string, string], isWide: boolean): string {
  const part = isWide || index % 50 === 7 ? localPart : asciiPart;
  const begin = part(first).slice(0, 2) || 'p';
  return `${begin}.${part(last) || 'staff'}.${String(index)}@example.com`;
}

/** Most people here write Latin letters; about three of ten do not. */
const scriptOf = (roll: Roll): Script => pick(roll, roll(10) < 6 ? scripts.slice(0, 1) : scripts);

function ordinary(index: number, roll: Roll, hasWideAddress: boolean): GeneratedEmployee {
  const script = scriptOf(roll);
  const [first, last] = [pick(roll, script.first), pick(roll, script.last)];
  return {
    EmployeeID: `E-${String(index).padStart(6, '0')}`,
    Firstname: first,
    Lastname: last,
    Phonenumber: `+45${String(20_000_000 + index)}`,
    Email: addressOf(index, [first, last], hasWideAddress),
    Gender: pick(roll, [0, 1, 9]),
    EmploymentStatus: roll(20) === 0 ? 1 : 0,
    Birthday: `${1955 + roll(50)}-${twoDigits(1 + roll(12))}-${twoDigits(1 + roll(28))}`,
    JobTitle: roll(12) === 0 ? pick(roll, astralTitles) : pick(roll, script.titles),
    Department: `Department ${roll(60)}`,
    Role: pick(roll, ['Employee', 'Team lead', 'Consultant', 'Trainee']),
    ImmediateManager: `${pick(roll, script.first)} ${pick(roll, script.last)}`,
    Dimensions: {
      Location: pick(roll, script.places),
      Division: pick(roll, ['North', 'South', 'East', 'West']),
    },
  };
}

const optionalMembers = [
  'Phonenumber',
  'Gender',
  'Birthday',
  'JobTitle',
  'Department',
  'Role',
  'ImmediateManager',
  'Dimensions',
] as const;

/** Clears some optional members: to null, or wholly. */
function withGaps(employee: GeneratedEmployee, roll: Roll): GeneratedEmployee {
  const result = { ...employee };
  if (roll(2) > 0) return result;
  for (const member of optionalMembers) {
    const fate = roll(6);
    if (fate === 0) result[member] = null;
    else if (fate === 1) Reflect.deleteProperty(result, member);
  }
  if (result.Dimensions && roll(6) === 0) result.Dimensions = { ...result.Dimensions, 'Cost centre': null };
  return result;
}

const padded = (index: number, width: number): string => String(index).padStart(width, '0');

/** Values that are as long, or as short, as the contract allows (interface.md, "Limits"), counted in code points. */
const limitCases: readonly ((employee: GeneratedEmployee, index: number) => GeneratedEmployee)[] = [
  (employee, index) => ({ ...employee, EmployeeID: `${'𝔸'.repeat(42)}${padded(index, 8)}` }),
  (employee, index) => ({
    ...employee,
    EmployeeID: `${'é'.repeat(42)}${padded(index, 8)}`,
    Firstname: 'ß'.repeat(150),
  }),
  (employee) => ({ ...employee, Firstname: '𠮷'.repeat(150), Lastname: '👩'.repeat(150) }),
  (employee, index) => ({ ...employee, Phonenumber: `+9${padded(index, 19)}`, JobTitle: '🚀'.repeat(50) }),
  (employee, index) => ({
    ...employee,
    Phonenumber: `+${100_000 + (index % 900_000)}`,
    Firstname: 'O',
    Lastname: '李',
  }),
  (employee, index) => ({ ...employee, Email: `${'a'.repeat(234)}${padded(index, 8)}@example.com` }),
  (employee) => ({
    ...employee,
    Department: 'Å'.repeat(50),
    Role: '𝓡'.repeat(50),
    ImmediateManager: '"\\/\t'.repeat(12) + 'ab',
  }),
  (employee) => ({
    ...employee,
    Dimensions: {
      Location: '𝕃'.repeat(50),
      Division: '\u{10ffff}'.repeat(50),
      ['n'.repeat(150)]: 'long name',
      Åbning: ' ',
    },
  }),
  (employee) => ({
    ...employee,
    InvitationDate: '2020-02-29T23:59:59.999Z',
    Birthday: '2000-02-29T00:00:00Z',
  }),
];

/** Every 97th employee stands at a limit. */
function atLimits(employee: GeneratedEmployee, index: number): GeneratedEmployee {
  if (index % 97 !== 13) return employee;
  const limit = limitCases[Math.floor(index / 97) % limitCases.length];
  return limit ? limit(employee, index) : employee;
}

/** The employee with this index: a valid one, unlike every other index in EmployeeID, Email and Phonenumber. */
export function generatedEmployee(index: number, options: GeneratorOptions = {}): GeneratedEmployee {
  const roll = dice(options.seed ?? 1, index);
  const whole = ordinary(index, roll, options.wideAddresses ?? false);
  const employee = atLimits(withGaps(whole, roll), index);
  if (roll(10) === 0) employee.InvitationDate ??= `2027-0${1 + roll(9)}-15T07:30:00Z`;
  if (!options.onePercentChanged || index % 100 !== 50) return employee;
  return { ...employee, Department: 'Reorganised', JobTitle: 'Head of change' };
}

/** `count` employees as objects: for sets that fit in memory. */
export const generatedEmployees = (count: number, options: GeneratorOptions = {}): GeneratedEmployee[] =>
  Array.from({ length: count }, (_, index) => generatedEmployee(index, options));

/** The indexes 0 .. count-1 in a seeded random order. */
function permutation(count: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  const roll = dice(seed, count);
  for (let last = count - 1; last > 0; last--) {
    const other = roll(last + 1);
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  return order;
}

const reversedMembers = (employee: GeneratedEmployee): object =>
  Object.fromEntries(Object.entries(employee).reverse());

/** Grows by doubling, so that half a million employees need little more than their own bytes. */
class TextBuffer {
  #bytes: Buffer;
  #length = 0;
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }
  add(text: string): void {
    // UTF-8 needs at most three bytes for each UTF-16 code unit.
    if (this.#length + text.length * 3 > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2 + text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }
  whole(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

function shuffledBody(count: number, options: BodyOptions, body: TextBuffer): void {
  body.add('[');
  permutation(count, (options.seed ?? 1) + 1).forEach((index, place) => {
    const employee = reversedMembers(generatedEmployee(index, options));
    body.add(`${place === 0 ? '' : ' ,'}\n  ${JSON.stringify(employee).replaceAll(',"', ', "')}`);
  });
  body.add('\n]\n');
}

/** JSON text of `count` employees, made without holding them as objects. */
export function employeesBody(count: number, options: BodyOptions = {}): Buffer {
  const body = new TextBuffer(1024 + count * 400);
  if (options.shuffled) shuffledBody(count, options, body);
  else {
    const { element, open, between, close } = spellings[options.spelling ?? 'plain'];
    for (let index = 0; index < count; index++)
      body.add(`${index === 0 ? open : between}${element(generatedEmployee(index, options))}`);
    body.add(count === 0 ? '[]' : close);
  }
  return body.whole();
}
