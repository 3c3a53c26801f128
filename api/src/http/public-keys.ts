import type { Every } from '@rollcall/application';
import type { FastifyBaseLogger } from 'fastify';

/** How long a key that was added or taken away may go unnoticed. */
const refreshMs = 2_000;

export interface PublicKeysDeps {
  /** PEM by `kid`, as read at the start. */
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Reads them again; without it they stay what they are. */
  readonly readPublicKeys?: () => Promise<ReadonlyMap<string, string>>;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/**
 * The keys with which tokens are checked, kept fresh by its own timer, so that signing keys rotate without a restart: the
 * new key is added, tokens are issued anew, the old key is taken away.
 */
export class PublicKeys {
  readonly #deps: PublicKeysDeps;
  #keys: ReadonlyMap<string, string>;
  #stop: (() => void) | undefined;

  constructor(deps: PublicKeysDeps) {
    this.#deps = deps;
    this.#keys = deps.publicKeys;
  }

  start(): void {
    const { every, readPublicKeys } = this.#deps;
    if (readPublicKeys) this.#stop = every(refreshMs, () => this.#refresh(readPublicKeys));
  }

  stop(): void {
    this.#stop?.();
  }

  /** The same object until a key is added, changed or taken away. */
  current(): ReadonlyMap<string, string> {
    return this.#keys;
  }

  /** A folder that cannot be read, or holds what is no key, changes nothing: the keys that were good stay in force. */
  async #refresh(read: () => Promise<ReadonlyMap<string, string>>): Promise<void> {
    const { logger } = this.#deps;
    try {
      const keys = await read();
      if (isSame(keys, this.#keys)) return;
      this.#keys = keys;
      logger.info({ kids: [...keys.keys()] }, 'the public keys changed');
    } catch (error) {
      logger.error({ err: error }, 'the public keys cannot be read again; those known stay in force');
    }
  }
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([kid, pem]) => other.get(kid) === pem);
