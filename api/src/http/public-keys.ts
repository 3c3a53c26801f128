import type { KeyFolder } from '@rollcall/adapters';
import type { Every } from '@rollcall/application';
import type { FastifyBaseLogger } from 'fastify';

const keyRefreshMs = 2_000;

export interface PublicKeysDeps {
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Reads them again; absent: they never change. */
  readonly readPublicKeys?: () => Promise<KeyFolder>;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/** The token keys, refreshed by a timer: signing keys rotate without a restart. */
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
    if (readPublicKeys) this.#stop = every(keyRefreshMs, () => this.#refresh(readPublicKeys));
  }

  stop(): void {
    this.#stop?.();
  }

  current(): ReadonlyMap<string, string> {
    return this.#keys;
  }

  /** An unreadable folder changes nothing; an unreadable file keeps its known key. */
  async #refresh(read: () => Promise<KeyFolder>): Promise<void> {
    const { logger } = this.#deps;
    try {
      const { keys, unusable } = await read();
      this.#report([...unusable.values()].map(({ message }) => message).join(' '));
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

  #report(problems: string): void {
    if (problems !== this.#problems && problems !== '')
      this.#deps.logger.error({ problems }, 'some public keys cannot be read; the others are in force');
    this.#problems = problems;
  }
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([kid, pem]) => other.get(kid) === pem);
