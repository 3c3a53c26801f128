import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file beside its place-to-be, whole and synced. Returns its path. */
async function writeBeside(file: string, content: string | Uint8Array, mode: number): Promise<string> {
  const path = join(dirname(file), `.${randomUUID()}.new`);
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return path;
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function linkOrFalse(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Makes a folder, and those above it that are missing, durably; only their owner may look into what is new. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return;
  }
}

/**
 * Creates a file with all of its content at once, or leaves the one that is there as it is and answers false. Whoever sees
 * the file sees it whole, and it is durable before this returns, also where another process was faster.
 */
export async function createOnce(file: string, content: string | Uint8Array, mode: number): Promise<boolean> {
  const path = await writeBeside(file, content, mode);
  try {
    return await linkOrFalse(path, file);
  } finally {
    await unlink(path);
    await syncFolder(dirname(file));
  }
}

/** Puts a file in place whole and durably, instead of the one that may be there. */
export async function replaceFile(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  await rename(await writeBeside(file, content, mode), file);
  await syncFolder(dirname(file));
}
