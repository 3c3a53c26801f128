/** A source of whole numbers below `sides` that depends on its seed alone. */
export type Dice = (sides: number) => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const spaces = ['', '', '', ' ', '\n', '\t ', '\r\n        '];

function escaped(unit: string, roll: Dice): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${roll(2) === 0 ? hex : hex.toUpperCase()}`;
}

/** Spells a text in JSON as some client might: each character as it is, or escaped. */
function spelledText(text: string, roll: Dice): string {
  const often = [1, 2, 30, 1_000_000][roll(4)] ?? 1;
  let spelled = '';
  for (const character of text.split('')) {
    const plain = JSON.stringify(character).slice(1, -1);
    const isSurrogate = (character.charCodeAt(0) & 0xf800) === 0xd800;
    if (isSurrogate) spelled += character;
    else if (roll(often) !== 0) spelled += plain;
    else spelled += character === '/' ? '\\/' : escaped(character, roll);
  }
  return roll(often) === 0 ? spelled.replaceAll(/[\ud800-\udfff]/g, (unit) => escaped(unit, roll)) : spelled;
}

/** JSON text of a value: members in any order, any white space, texts in any spelling. */
export function respelled(value: unknown, roll: Dice): string {
  const space = (): string => spaces[roll(spaces.length)] ?? '';
  const write = (each: unknown): string => {
    if (typeof each === 'string') return `"${spelledText(each, roll)}"`;
    if (Array.isArray(each)) return `[${space()}${(each as unknown[]).map(write).join(`${space()},`)}]`;
    if (typeof each !== 'object' || each === null) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([name, member]) => `${space()}${write(name)}${space()}:${space()}${write(member)}${space()}`,
    );
    if (roll(4) === 0) members.reverse();
    return `{${members.length === 0 ? space() : members.join(',')}}`;
  };
  return write(value);
}

const pieces = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    '0',
    '9',
    '-',
    '.',
    'e',
    'u',
    'T',
    'Z',
    '@',
    '+',
    '\\u',
  ],
  ...[
    'null',
    'true',
    '"Role":"x",',
    '"Dimensions":{},',
    '\\u0000',
    '\\ud83d',
    '\\ude00',
    '\\ud83d\\ude00',
    '\\u00e5',
  ],
  ...[
    '\\n',
    '\\/',
    '\\b',
    '\\x',
    'İ',
    'ς',
    'Σ',
    'K',
    'é',
    'e\u0301',
    '😀',
    '\u{10400}',
    '\u2003',
    '\u200b',
    '\u0085',
  ],
  ...['\u0000', '\u0001', '\u007f', '\uffee', '"__proto__":1,', '"constructor":1,', '-0', '1e2', '.5', '00'],
];

/** A text with a few places changed: something taken out, put in or doubled. */
export function mutated(text: string, roll: Dice): string {
  let result = text;
  for (let changes = 1 + roll(3); changes > 0; changes--) {
    const at = roll(result.length + 1);
    const length = roll(3) === 0 ? roll(12) : 1;
    const piece = pieces[roll(pieces.length)] ?? '';
    const kept = [
      result.slice(at + length),
      piece + result.slice(at),
      result.slice(at, at + length) + result.slice(at),
    ];
    result = result.slice(0, at) + (kept[roll(3)] ?? '');
  }
  return result;
}

/** Bytes in chunks of random length. */
export function chunksOf(bytes: Uint8Array, roll: Dice): Uint8Array[] {
  const longest = roll(20) === 0 ? 1 : ([100_000, 1_000, 300, 61, 7][roll(5)] ?? 1);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + roll(longest);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
