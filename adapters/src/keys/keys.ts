import { createHmac, randomBytes } from 'node:crypto';
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

/**
 * Where the keys lie by default. `shared` is the folder of what all processes of an installation need (`SHARED_KEYS`); what
 * only one of them may know stays in its own data folder.
 */
export const keyPlaces = (dataDir: string, shared = join(dataDir, 'keys')) => ({
  folder: shared,
  publicFolder: join(shared, 'public'),
  ownFolder: join(dataDir, 'keys'),
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

const digestKeyFile = (folder: string): string => join(folder, 'digest.key');

/** The installation's keys; undefined where they were not created yet. `KeysUnusable` where a key is there and is no key. */
export async function readKeys({ folder }: { folder: string }): Promise<Keys | undefined> {
  const digestKey = await readIfThere(digestKeyFile(folder));
  if (digestKey !== undefined && digestKey.length !== digestKeyLength)
    throw new KeysUnusable(
      `${digestKeyFile(folder)} must hold ${digestKeyLength} bytes: restore it from a backup.`,
    );
  return digestKey && { digestKey };
}

/** What the log keeps of the digest key, hex: it tells whether a key is the log's, and nothing of the key. */
export const keyCheckOf = ({ digestKey }: Keys): string =>
  createHmac('sha256', digestKey).update('rollcall: the digest key of this log').digest('hex');

/**
 * The keys of a log that says which key its digests are made with (`keyCheck`); undefined for one that does not say. A key is
 * never made here. `KeysUnusable` where it is missing or another one.
 */
export async function keysOfLog(folder: string, keyCheck: string | undefined): Promise<Keys> {
  const keys = await readKeys({ folder });
  const mend = "restore it from a backup, or copy it from another of the installation's hosts.";
  if (keys === undefined)
    throw new KeysUnusable(`${digestKeyFile(folder)} is missing, and the event log needs it: ${mend}`);
  if (keyCheck !== undefined && keyCheckOf(keys) !== keyCheck)
    throw new KeysUnusable(`${digestKeyFile(folder)} is not the key of this event log: ${mend}`);
  return keys;
}

/**
 * Opens the installation's keys and creates them the first time (mode 600). Any number of processes may do so at once: all
 * get the same. `KeysUnusable` where a key is there and is no key.
 */
export async function openKeys({ folder }: { folder: string }): Promise<Keys> {
  await makePrivateFolder(folder);
  const known = await readKeys({ folder });
  if (known) return known;
  await createOnce(digestKeyFile(folder), randomBytes(digestKeyLength), 0o600);
  return keysOfLog(folder, undefined);
}
