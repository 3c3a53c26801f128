import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonVariables, serverVariables, workerVariables } from '@rollcall/host';
import { cliVariables } from '@rollcall/cli';
import tap from 'tap';
import { root } from './source-files.js';

interface Schema {
  readonly default?: string | number;
  readonly enum?: readonly string[];
}

/** What each reader's configuration is checked with. */
const readers: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  api: serverVariables,
  projector: commonVariables,
  worker: workerVariables,
  rollcall: cliVariables,
};

/** As the page names them. */
const groups: Readonly<Record<string, string>> = {
  'api, projector, worker, rollcall': 'all',
  'api, projector, worker': 'processes',
  'api, worker, rollcall': 'not projector',
};

function readBy(variable: string): string {
  const names = Object.keys(readers)
    .filter((reader) => variable in (readers[reader] ?? {}))
    .join(', ');
  return groups[names] ?? names;
}

const mebibyte = 1024 * 1024;

/** As the page writes them; what has none depends on other variables, and is left to the page. */
function writtenDefault({ default: value }: Schema): string | undefined {
  if (value === undefined) return undefined;
  if (value === '') return 'none';
  if (typeof value === 'number' && value % mebibyte === 0 && value > 0) return `${value / mebibyte} MiB`;
  return `\`${value}\``;
}

const rows = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\||\|$/g, '').trim()));
const schemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.values(readers)
    .flatMap((variables) => Object.entries(variables))
    .map(([name, schema]) => [name, { ...schema }]),
);

tap.test('every variable that is read stands in the page, and no other', async (t) => {
  const named = rows.map(([variable = '']) => variable.replaceAll('`', ''));
  t.strictSame(named.toSorted(), Object.keys(schemas).toSorted());
});

for (const [cell = '', meaning = '', byDefault = '', by = ''] of rows) {
  const variable = cell.replaceAll('`', '');
  const schema = schemas[variable] ?? {};
  tap.test(`the row of ${variable}`, async (t) => {
    t.equal(by, readBy(variable), 'who reads it');
    for (const value of schema.enum ?? []) t.ok(meaning.includes(`\`${value}\``), `names ${value}`);
    const expected = writtenDefault(schema);
    if (expected === undefined) t.match(byDefault, /^(none|an invented one|`\$DATA_DIR\/.+`)$/);
    else t.equal(byDefault, expected, 'its default');
  });
}
