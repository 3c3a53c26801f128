import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOnce, hasCode, makePrivateFolder } from './files.js';

const digestKeyLength = 32;

/** The secrets of the installation itself; the keys of tokens are files of their own. */
export interface Keys {
  /** 32 bytes. Keys every digest in the log: losing it means that no set can be compared any more. */
  readonly digestKey: Uint8Array;
}

/** A key file is there and cannot be used, or is missing where it must be there. Names the file, never its content. */
export class KeysUnusable extends Error {
  override readonly name = 'KeysUnusable';
}

/** Where the keys lie by default. */
export const keyPlaces = (dataDir: string) => ({
  folder: join(dataDir, 'keys'),
  publicFolder: join(dataDir, 'keys', 'public'),
  privateFile: join(dataDir, 'keys', 'private.pem'),
});

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Opens the installation's keys and creates them the first time (mode 600). Any number of processes may do so at once: all
 * get the same. `KeysUnusable` where a key is there and is no key.
 */
export async function openKeys({ folder }: { folder: string }): Promise<Keys> {
  await makePrivateFolder(folder);
  const file = join(folder, 'digest.key');
  let digestKey = await readIfThere(file);
  if (!digestKey) {
    await createOnce(file, randomBytes(digestKeyLength), 0o600);
    digestKey = await readFile(file);
  }
  if (digestKey.length !== digestKeyLength)
    throw new KeysUnusable(`${file} must hold ${digestKeyLength} bytes: restore it from a backup.`);
  return { digestKey };
}
