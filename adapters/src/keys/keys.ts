import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Loggable } from '@rollcall/application/read';
import { createOnce, insteadOf, makePrivateFolder } from './files.js';

const digestKeyLength = 32;

export interface Keys {
  /** 32 bytes. Keys all digests in the log: without it no set can be compared. */
  readonly digestKey: Uint8Array;
}

/** A key file is unusable, or missing. Names the file, never its content. */
export class KeysUnusable extends Loggable {
  override readonly name = 'KeysUnusable';
}

/** `shared`: the folder that all processes of an installation share (`SHARED_KEYS`). */
export const keyPaths = (dataDir: string, shared = join(dataDir, 'keys')) => ({
  folder: shared,
  publicFolder: join(shared, 'public'),
  ownFolder: join(dataDir, 'keys'),
  privateFile: join(dataDir, 'keys', 'private.pem'),
});

/** Of anchors: public keys of all processes, the private key of this one. */
export const anchorKeyPaths = (shared: string, own: string) => ({
  publicFolder: join(shared, 'anchors'),
  privateFile: join(own, 'anchor.pem'),
});

const digestKeyFile = (folder: string): string => join(folder, 'digest.key');

/** Undefined before they are created. `KeysUnusable` for a damaged key. */
export async function readKeys({ folder }: { folder: string }): Promise<Keys | undefined> {
  const digestKey = await readFile(digestKeyFile(folder)).catch(insteadOf('ENOENT', undefined));
  if (digestKey !== undefined && digestKey.length !== digestKeyLength)
    throw new KeysUnusable(
      `${digestKeyFile(folder)} must hold ${digestKeyLength} bytes: restore it from a backup.`,
    );
  return digestKey && { digestKey };
}

/** Hex. Identifies the digest key in the log without revealing it. */
export const keyCheckOf = ({ digestKey }: Keys): string =>
  createHmac('sha256', digestKey).update('rollcall: the digest key of this log').digest('hex');

/** Never creates a key. `KeysUnusable` if it is missing, or differs from `keyCheck`. */
export async function keysOfLog(folder: string, keyCheck: string | undefined): Promise<Keys> {
  const keys = await readKeys({ folder });
  const mend = "restore it from a backup, or copy it from another of the installation's hosts.";
  if (keys === undefined)
    throw new KeysUnusable(`${digestKeyFile(folder)} is missing, and the event log needs it: ${mend}`);
  if (keyCheck !== undefined && keyCheckOf(keys) !== keyCheck)
    throw new KeysUnusable(`${digestKeyFile(folder)} is not the key of this event log: ${mend}`);
  return keys;
}

/** Opens or creates the keys (mode 600). Concurrent processes get the same ones. `KeysUnusable` for a damaged key. */
export async function openKeys({ folder }: { folder: string }): Promise<Keys> {
  await makePrivateFolder(folder);
  const known = await readKeys({ folder });
  if (known) return known;
  await createOnce(digestKeyFile(folder), randomBytes(digestKeyLength), 0o600);
  return keysOfLog(folder, undefined);
}
