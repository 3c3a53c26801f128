import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TokenSigner } from '@rollcall/application/read';
import { createSigner } from 'fast-jwt';
import { createOnce, entriesOf, hasCode, makePrivateFolder } from './files.js';
import { KeysUnusable } from './keys.js';

const extension = '.pem';

const publicPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

async function readPublicKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  if (text.includes('PRIVATE KEY'))
    throw new KeysUnusable(`${file} holds a private key; only public keys belong there.`);
  try {
    return publicPem(createPublicKey(text));
  } catch {
    throw new KeysUnusable(`${file} must be a public key in PEM form.`);
  }
}

/** PEM by `kid`, the file name without `.pem`. A missing folder is empty. `KeysUnusable` if such a file is no public key. */
export async function readPublicKeys(folder: string): Promise<ReadonlyMap<string, string>> {
  const { keys, unusable } = await readKeyFolder(folder);
  for (const error of unusable.values()) throw error;
  return keys;
}

export interface KeyFolder {
  readonly keys: ReadonlyMap<string, string>;
  readonly unusable: ReadonlyMap<string, Error>;
}

export async function readKeyFolder(folder: string): Promise<KeyFolder> {
  const keys = new Map<string, string>();
  const unusable = new Map<string, Error>();
  for (const name of [...(await entriesOf(folder))].sort()) {
    if (!name.endsWith(extension) || name.startsWith('.')) continue;
    const kid = name.slice(0, -extension.length);
    try {
      keys.set(kid, await readPublicKey(join(folder, name)));
    } catch (error) {
      // Removed meanwhile.
      if (hasCode(error, 'ENOENT')) continue;
      unusable.set(kid, error instanceof Error ? error : new KeysUnusable(`${name} cannot be read.`));
    }
  }
  return { keys, unusable };
}

async function readPrivateKey(file: string): Promise<{ pem: string; key: KeyObject }> {
  try {
    const pem = await readFile(file, 'utf8');
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return { pem, key };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw new KeysUnusable(`${file} is missing.`);
    if (hasCode(error, 'EACCES')) throw new KeysUnusable(`${file} may not be read by this user.`);
    throw new KeysUnusable(`${file} must be a private key in PEM form.`);
  }
  throw new KeysUnusable(`${file} must be an Ed25519 key.`);
}

interface KeyPlaces {
  readonly publicFolder: string;
  readonly privateFile: string;
}

export interface SigningKey {
  readonly kid: string;
  /** Never logged or shown. */
  readonly pem: string;
}

export const tokenSigner = ({ kid, pem }: SigningKey): TokenSigner => ({
  kid,
  sign: createSigner({ algorithm: 'EdDSA', key: pem, kid }),
});

/** `KeysUnusable` if the key is missing or invalid, or its public half is not in `publicFolder`. */
export async function readSigningKey({ publicFolder, privateFile }: KeyPlaces): Promise<SigningKey> {
  const { pem, key } = await readPrivateKey(privateFile);
  const own = publicPem(createPublicKey(key));
  for (const [kid, each] of await readPublicKeys(publicFolder)) if (each === own) return { kid, pem };
  throw new KeysUnusable(
    `The public half of ${privateFile} is not in ${publicFolder}: put it there as <kid>.pem, or replace the private key if it was withdrawn.`,
  );
}

/**
 * Creates the key (Ed25519, mode 600) if missing, its public half first; concurrent calls share it. `KeysUnusable` as above: a
 * public half that was removed, as after a leak, is not published again.
 */
export async function createSigningKey(paths: KeyPlaces): Promise<SigningKey> {
  const { publicFolder, privateFile } = paths;
  await makePrivateFolder(dirname(privateFile));
  await makePrivateFolder(publicFolder);
  if (statSync(privateFile, { throwIfNoEntry: false }) === undefined) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const pem = publicPem(publicKey);
    const publicFile = join(publicFolder, `${kidOf(pem)}${extension}`);
    await createOnce(publicFile, pem, 0o644);
    const isOurs = await createOnce(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
    if (!isOurs) await rm(publicFile);
  }
  return readSigningKey(paths);
}

const kidOf = (pem: string): string => createHash('sha256').update(pem).digest('hex').slice(0, 16);
