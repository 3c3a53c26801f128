import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { existsSync } from 'node:fs';
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
      // Removed meanwhile; a link to nothing is unusable.
      if (hasCode(error, 'ENOENT') && !(await entriesOf(folder)).includes(name)) continue;
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
export async function readSigningKey(paths: KeyPlaces): Promise<SigningKey> {
  const { pem, kid } = await readPair(paths);
  if (kid !== undefined) return { kid, pem };
  throw new KeysUnusable(
    `The public half of ${paths.privateFile} is not in ${paths.publicFolder}: put it there as <kid>.pem, or replace the private key if it was withdrawn.`,
  );
}

/** `kid`: undefined where the public half is not in the folder. */
async function readPair({ publicFolder, privateFile }: KeyPlaces) {
  const { pem, key } = await readPrivateKey(privateFile);
  const own = publicPem(createPublicKey(key));
  const [kid] = [...(await readPublicKeys(publicFolder))].find(([, each]) => each === own) ?? [];
  return { pem, own, kid };
}

/** Creates the key (Ed25519, mode 600) and its public half, which comes first, if missing; concurrent calls share it. */
export async function createSigningKey(paths: KeyPlaces): Promise<SigningKey> {
  const { publicFolder, privateFile } = paths;
  await makePrivateFolder(dirname(privateFile));
  await makePrivateFolder(publicFolder);
  if (!existsSync(privateFile)) await createPair(paths);
  const { pem, own, kid } = await readPair(paths);
  if (kid !== undefined) return { kid, pem };
  await createOnce(publicFileOf(publicFolder, own), own, 0o644);
  return readSigningKey(paths);
}

async function createPair({ publicFolder, privateFile }: KeyPlaces): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const publicFile = publicFileOf(publicFolder, publicPem(publicKey));
  await createOnce(publicFile, publicPem(publicKey), 0o644);
  let isOurs = false;
  try {
    isOurs = await createOnce(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  } finally {
    if (!isOurs) await rm(publicFile, { force: true });
  }
}

const publicFileOf = (folder: string, pem: string): string =>
  join(folder, `${createHash('sha256').update(pem).digest('hex').slice(0, 16)}${extension}`);
