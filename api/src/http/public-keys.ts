import type { KeyFolder } from '@rollcall/adapters';
import type { Every } from '@rollcall/application';
import type { FastifyBaseLogger } from 'fastify';

/** How long a key that was added or taken away may go unnoticed. */
const refreshMs = 2_000;

export interface PublicKeysDeps {
  /** PEM by `kid`, as read at the start. */
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Reads them again; without it they stay what they are. */
  readonly readPublicKeys?: () => Promise<KeyFolder>;
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
  #problems = '';
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

  /** A folder that cannot be read changes nothing; a file that cannot, nothing of the key that was known by its name. */
  async #refresh(read: () => Promise<KeyFolder>): Promise<void> {
    const { logger } = this.#deps;
    try {
      const { keys, unusable } = await read();
      this.#tell([...unusable.values()].map(({ message }) => message).join(' '));
      this.#take(new Map([...[...this.#keys].filter(([kid]) => unusable.has(kid)), ...keys]));
    } catch (error) {
      logger.error({ err: error }, 'the public keys cannot be read again; those known stay in force');
    }
  }

  #take(keys: ReadonlyMap<string, string>): void {
    if (isSame(keys, this.#keys)) return;
    this.#keys = keys;
    this.#deps.logger.info({ kids: [...keys.keys()] }, 'the public keys changed');
  }

  /** Once for each change of what is wrong. */
  #tell(problems: string): void {
    if (problems !== this.#problems && problems !== '')
      this.#deps.logger.error({ problems }, 'some public keys cannot be read; the others are in force');
    this.#problems = problems;
  }
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([kid, pem]) => other.get(kid) === pem);
