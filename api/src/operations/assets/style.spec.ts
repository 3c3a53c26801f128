import { readFileSync } from 'node:fs';
import tap from 'tap';
import { style } from './style.js';

const page = readFileSync(new URL('../../../../docs/page.md', import.meta.url), 'utf8');

type Colours = Readonly<Record<string, string>>;

const coloursIn = (css: string): Colours =>
  Object.fromEntries(
    [...css.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );

const [light = '', dark = ''] = style.split('prefers-color-scheme: dark');
const schemes = [coloursIn(light), coloursIn(dark.slice(0, dark.indexOf('* {')))];

/** WCAG 2.2, "relative luminance". */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(colours: Colours, one: string, other: string): number {
  const [low = 0, high = 0] = [one, other]
    .map((name) => luminance(colours[name] ?? ''))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const plain = ['--ground', '--surface'];
const behind: Readonly<Record<string, readonly string[]>> = {
  '--text': [...plain, '--tint', '--bad-tint'],
  '--quiet': [...plain, '--bad-tint'],
  '--accent': [...plain, '--tint'],
  '--bad': [...plain, '--bad-tint'],
  '--on-accent': ['--accent'],
  '--on-bad': ['--bad'],
  '--line': plain,
};

tap.test('each colour has its contrast, and the page of docs says both', async (t) => {
  const rows = [...page.matchAll(/^\| `(--[\w-]+)` +\|[^|]*\| `(#\w+)` \| `(#\w+)` \| ([\d.]*) *\|$/gm)];
  t.equal(rows.length, 12);
  for (const [, name = '', inLight = '', inDark = '', least = ''] of rows) {
    t.strictSame(
      schemes.map((colours) => colours[name]),
      [inLight, inDark],
      name,
    );
    const contrasts = schemes.flatMap((colours) =>
      (behind[name] ?? []).map((each) => contrast(colours, name, each)),
    );
    if (contrasts.length === 0) continue;
    const found = Math.min(...contrasts);
    t.ok(found >= (name === '--line' ? 3 : 4.5), `${name}: ${found}`);
    t.equal(found.toFixed(1), least, name);
  }
});

tap.test('no style is inline, and the file is light', async (t) => {
  t.ok(Buffer.byteLength(style) < 12 * 1024);
  t.notMatch(style, /url\(|@import|!important/);
});
