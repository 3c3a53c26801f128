import { readFile } from 'node:fs/promises';
import t from 'tap';
import { documentFile, type OpenApiDocument } from '../support/reference.js';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** A part of the document and all parts of it that generators make types of; of a condition (`if`) they make none. */
const partsOf = (value: unknown): Node[] =>
  isNode(value)
    ? [value, ...Object.entries(value).flatMap(([name, part]) => (name === 'if' ? [] : partsOf(part)))]
    : [];

const repeated = (names: readonly string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

const document = JSON.parse(await readFile(documentFile, 'utf8')) as OpenApiDocument;
const { schemas } = document.components;
const names = Object.keys(schemas);
const enums = partsOf(document).filter((node) => Array.isArray(node['enum']));
const namesIn = (schema: Node): string[] =>
  [schema['x-enum-varnames'] ?? schema['enum']].flat().map((name) => String(name).toUpperCase());

t.test('the document has what generators of typed languages need', async (t) => {
  t.test('no enum of booleans: Java and C# do not compile it, and Python refuses each value', async (t) => {
    t.ok(enums.length > 0);
    const booleans = enums.filter((node) =>
      [node['enum']].flat().some((value) => typeof value === 'boolean'),
    );
    t.same(booleans, []);
  });

  t.test('no schema called as the function that makes another: Go has NewSurvey for Survey', async (t) => {
    t.same(
      names.filter((name) => names.includes(`New${name}`)),
      [],
    );
  });

  t.test('no member of an enum called as another, or as a schema: Go has one space of names', async (t) => {
    const members = Object.values(schemas)
      .filter((schema) => 'enum' in schema)
      .flatMap((schema) => namesIn({ ...schema }));
    t.ok(members.includes('ACTIVE'));
    t.same(repeated([...members, ...names.map((name) => name.toUpperCase())]), []);
  });
});
