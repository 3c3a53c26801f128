import { createPublicKey } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { installationKeys } from '@rollcall/host';
import { KeysUnusable, readKeyFolder, readSigningKey } from '@rollcall/adapters';
import { readInstallation, type EventLog } from '@rollcall/application';
import { isThere, type CliConfig } from '../config.js';
import type { Configured } from './config.js';
import { counted } from '../situation/words.js';
import { green, red, type Check } from './check.js';

type Config = NonNullable<Configured['config']>;

export async function* keyChecks(config: Config, log: EventLog | undefined): AsyncIterable<Check> {
  if (log !== undefined) yield await digestKeyCheck(config, log);
  yield await publicKeysCheck(config);
  yield await signingKeyCheck(config);
  yield* secrecyChecks(config);
}

async function usable(name: string, work: () => Promise<string>, advice: string): Promise<Check> {
  try {
    return green(name, await work());
  } catch (error) {
    if (!(error instanceof KeysUnusable)) throw error;
    return red(name, error.message, advice);
  }
}

const digestKeyCheck = ({ keyFolder }: CliConfig, log: EventLog): Promise<Check> =>
  usable(
    'digest key',
    async () => {
      if ((await readInstallation(log)) === undefined)
        return 'made with the first company or the first start';
      await installationKeys(log, keyFolder);
      return "is the log's";
    },
    "Without the log's own key no list can be compared any more: restore keys/digest.key.",
  );

const keyTypes = { EdDSA: 'ed25519', ES256: 'ec', RS256: 'rsa', PS256: 'rsa' } as const;

async function publicKeysCheck({ publicFolder, jwtAlgorithm }: Config): Promise<Check> {
  const { keys, unusable } = await readKeyFolder(publicFolder);
  const [bad] = unusable.values();
  if (bad) return red('public keys', bad.message, 'Take the file away, or put a public key in its place.');
  const fits = (pem: string): boolean => createPublicKey(pem).asymmetricKeyType === keyTypes[jwtAlgorithm];
  return ![...keys.values()].some(fits)
    ? red(
        'public keys',
        `there is none for JWT_ALGORITHM ${jwtAlgorithm} in ${publicFolder}: no token is accepted`,
        'Put <kid>.pem there. Without a private key, rollcall token issue makes both, for EdDSA.',
      )
    : green('public keys', `${counted(keys.size, 'key')} in ${publicFolder}`);
}

async function signingKeyCheck(config: CliConfig): Promise<Check> {
  const name = 'signing key';
  if (!isThere(config.privateFile)) return green(name, 'not here: tokens are issued where it is');
  return usable(
    name,
    async () => `its public half is ${(await readSigningKey(config)).kid}`,
    'Put the right key in its place, or take it away: tokens that are issued with it are of no use.',
  );
}

async function* secrecyChecks({ keyFolder, privateFile }: CliConfig): AsyncIterable<Check> {
  const others = 0o007;
  for (const [file, advice] of [
    [join(keyFolder, 'digest.key'), 'and never change the key: every stored digest needs it'],
    [privateFile, 'and change the key'],
  ] as const) {
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    );
    if ((mode & others) !== 0)
      yield red(
        'rights',
        `${file} may be read by every user of this host`,
        `Run chmod 600 ${file}, ${advice}.`,
      );
  }
}
