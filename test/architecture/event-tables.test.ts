import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_TYPE, isStreamName } from '@rollcall/application';
import { catalogue, EventMetadata, storedTypeOf, type EventName } from '@rollcall/contracts';
import tap from 'tap';
import { root } from './source-files.js';

const page = readFileSync(join(root, 'docs', 'event-log.md'), 'utf8');

/** The cells of a table's rows, by the first cell of its head. */
function table(name: string): string[][] {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${name} `));
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

interface Members {
  readonly properties: object;
  readonly required?: readonly string[];
}

/** The list of types: each with its stream and its members. */
const types = (): (readonly [type: string, stream: string, members: string])[] =>
  [...page.matchAll(/^- (`[\w.]+`) in `([^`]+)`: ((?:[^\n]|\n {2})+)$/gm)].map(
    ([, type = '', stream = '', members = '']) => [type, stream, members.replace(/\n {2}/g, ' ')],
  );

/** As the page writes them: a member that may be absent has `?` behind it. */
const membersOf = ({ properties, required = [] }: Members): string =>
  Object.keys(properties)
    .map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`)
    .join(', ');

const names = Object.keys(catalogue) as EventName[];

tap.test('every type of the catalogue, and no other, stands in the page with its members', async (t) => {
  const expected = names.map((name) => [`\`${storedTypeOf(name)}\``, membersOf(catalogue[name].schema)]);
  const rows = types();
  t.strictSame(
    rows.map(([type, , members]) => [type, members]),
    expected,
  );
  const id = '019aa2f0-5c00-7000-8000-000000000001';
  for (const [type, stream] of rows) {
    const name = stream.replace(/\{(?:operationId|keyHash)\}/, id).replaceAll(/\{\w+\}/g, '7');
    t.ok(isStreamName(name), `${type}: ${stream}`);
  }
  t.ok(page.includes(`\`${CHUNK_TYPE}\`, which is binary`));
});

tap.test('the members of the metadata stand in the page, in their order', async (t) => {
  const rows = table('member of the metadata');
  const { properties, required } = EventMetadata;
  t.strictSame(
    rows.map(([name]) => name),
    Object.keys(properties).map((name) => `\`${name}\``),
  );
  const optional = rows.filter(([, value]) => value?.startsWith('optional')).map(([name]) => name);
  t.strictSame(
    optional,
    Object.keys(properties)
      .filter((name) => !(required as readonly string[]).includes(name))
      .map((name) => `\`${name}\``),
  );
});
