/** How a client writes JSON: as JavaScript does, or as .NET, Python or a printer of indented text do without any settings. */
export type Spelling = 'plain' | '.NET' | 'Python' | 'pretty';

type Escape = (unit: string) => string;

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
const upper: Escape = (unit) => `\\u${hexOf(unit).toUpperCase()}`;
const lower: Escape = (unit) => `\\u${hexOf(unit)}`;

/** System.Text.Json: quotes too are written by their number, backslashes and line ends are not. */
const asDotNet = (json: string): string =>
  json.replaceAll(/\\u[0-9a-f]{4}|\\.|[&'+<>`\u007f-\uffff]/g, (found) => {
    if (found === '\\"') return upper('"');
    if (found.startsWith('\\u')) return `\\u${found.slice(2).toUpperCase()}`;
    return found.length > 1 ? found : upper(found);
  });

/** `json.dumps`: a space behind each comma and colon. */
const asPython = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/,\n */g, ', ')
    .replaceAll(/\n */g, '')
    .replaceAll(/[\u007f-\uffff]/g, lower);

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');

interface ListSpelling {
  readonly element: (value: unknown) => string;
  readonly open: string;
  readonly between: string;
  readonly close: string;
}

/** How a list is written, element by element. */
export const spellings: Readonly<Record<Spelling, ListSpelling>> = {
  plain: { element: (value) => JSON.stringify(value), open: '[', between: ',', close: ']' },
  '.NET': { element: (value) => asDotNet(JSON.stringify(value)), open: '[', between: ',', close: ']' },
  Python: { element: asPython, open: '[', between: ', ', close: ']' },
  pretty: { element: indented, open: '[\n  ', between: ',\n  ', close: '\n]' },
};
