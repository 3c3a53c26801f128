import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../keys/files.js';
import type { CopiedFile } from './manifest.js';

/** Relative paths, without dot files. */
export async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).filter((each) => !each.startsWith('.')).sort()) {
    // Follows links: mounted secrets are links.
    const entry = await stat(join(folder, name));
    if (entry.isDirectory())
      found.push(...(await filesIn(join(folder, name))).map((path) => `${name}/${path}`));
    else if (entry.isFile()) found.push(name);
  }
  return found;
}

export const partsOf = (file: string): AsyncIterable<Uint8Array> =>
  createReadStream(file, { highWaterMark: 1 << 20 });

export async function measured(
  folder: string,
  path: string,
  onPart?: (part: Uint8Array) => Promise<void>,
): Promise<CopiedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of partsOf(join(folder, path))) {
    hash.update(part);
    await onPart?.(part);
    bytes += part.length;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

export async function copyFile(
  path: string,
  { from, to, onCopied }: { from: string; to: string; onCopied?: (bytes: number) => void },
): Promise<CopiedFile> {
  await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
  const { mode } = await stat(join(from, path));
  const target = await open(join(to, path), 'wx', mode & 0o777);
  try {
    const copied = await measured(from, path, async (part) => {
      await target.writeFile(part);
      onCopied?.(part.length);
    });
    await target.sync();
    return copied;
  } finally {
    await target.close();
  }
}

export async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}
