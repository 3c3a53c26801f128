import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, EventMetadata } from '@rollcall/contracts';
import { root } from './source-files.js';

/** For each event, and for the metadata, the hash of every version's shape that was ever written. */
export type CatalogueSnapshot = Record<string, Record<string, string>>;

export const snapshotFile = join(root, 'test', 'architecture', 'catalogue.json');

export const readSnapshot = (): CatalogueSnapshot =>
  JSON.parse(readFileSync(snapshotFile, 'utf8')) as CatalogueSnapshot;

/** JSON text that does not depend on the order in which members were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(
    ([key]) => !['description', 'examples', 'title', '$id'].includes(key),
  );
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
    .join()}}`;
}

export const shapeHash = (schema: object): string =>
  createHash('sha256')
    .update(canonical(JSON.parse(JSON.stringify(schema))))
    .digest('hex');

interface Entry {
  readonly version: number;
  readonly schema: object;
}

/** What the code writes today. */
export const currentShapes = (): Record<string, Entry> => ({
  ...catalogue,
  'event metadata': { version: 2, schema: EventMetadata },
});

/** Where the code and the snapshot disagree; each problem says what to do. */
export function catalogueProblems(snapshot: CatalogueSnapshot, current: Record<string, Entry>): string[] {
  const gone = Object.keys(snapshot).filter((name) => !Object.hasOwn(current, name));
  return [
    ...gone.map((name) => `${name} is gone: what stands in a log must stay readable`),
    ...Object.entries(current).flatMap(([name, entry]) => entryProblems(name, snapshot[name] ?? {}, entry)),
  ];
}

function entryProblems(name: string, known: Record<string, string>, { version, schema }: Entry): string[] {
  const hash = shapeHash(schema);
  const newest = Math.max(0, ...Object.keys(known).map(Number));
  if (newest > version) return [`${name} went back from version ${newest} to ${version}`];
  if (known[version] === undefined)
    return [`${name} version ${version} is new: add "${hash}" to catalogue.json`];
  if (known[version] !== hash)
    return [`${name} version ${version} has another shape: give it a new version and an upcast`];
  return [];
}
