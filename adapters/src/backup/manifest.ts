import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { createOnce, hasCode } from '../keys/files.js';

export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

export const COPY_FORMAT = 1;
const name = 'manifest.json';

const CopiedFile = Type.Object({
  path: Type.String({ pattern: '^(?:event-log|keys)(?:/[^/.][^/]*)+$' }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type CopiedFile = Static<typeof CopiedFile>;

const Manifest = Type.Object({
  format: Type.Literal(COPY_FORMAT),
  version: Type.String(),
  startedAt: Type.String(),
  finishedAt: Type.String(),
  installationId: Type.String(),
  streamPrefix: Type.String(),
  lastPosition: Type.String({ pattern: '^[0-9]+$' }),
  hasKeys: Type.Boolean(),
  files: Type.Array(CopiedFile),
});

const isManifest = Compile(Manifest);
const hasFormat = Compile(Type.Object({ format: Type.Number() }));

/** Written last: a copy without it is unfinished. */
export type Manifest = Static<typeof Manifest>;

export async function writeManifest(folder: string, manifest: object): Promise<void> {
  await createOnce(join(folder, name), `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
}

/** `CopyRefused` where the folder holds no finished copy that this version can read. */
export const readManifest = (folder: string): Promise<Manifest> =>
  readManifestAs(folder, 'copy', (value) => isManifest.Check(value));

export async function readManifestAs<M>(
  folder: string,
  what: 'copy' | 'export',
  isOne: (value: unknown) => value is M,
): Promise<M> {
  const value = await parsed(folder, what);
  if (isOne(value)) return value;
  const format = hasFormat.Check(value) ? value.format : COPY_FORMAT;
  if (format > COPY_FORMAT)
    throw new CopyRefused(
      `The ${what} in ${folder} has format ${format}; this version reads up to ${COPY_FORMAT}: update Rollcall.`,
    );
  throw new CopyRefused(`${join(folder, name)} is damaged: take another ${what}.`);
}

async function parsed(folder: string, what: 'copy' | 'export'): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
    const writer = what === 'copy' ? 'a backup' : 'an export';
    throw new CopyRefused(
      `${folder} holds no finished ${what}: ${name} is missing, which ${writer} writes last. Take another one.`,
    );
  }
}
