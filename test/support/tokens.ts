import { createHmac, sign, type KeyObject } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface TokenParts {
  /** Instead of the usual ones; undefined takes a claim away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** `none`: no signature. `public-key-as-secret`: HMAC with the public key's text. Or another private key, or what signs. */
  readonly signature?: 'none' | 'public-key-as-secret' | KeyObject | ((input: Buffer) => Buffer);
}

/** The kid of the configured key. */
export const kid = 'test-key';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes tokens by hand, so that each part can be wrong. */
export class TokenMaker {
  readonly publicKeys: ReadonlyMap<string, string>;
  readonly #privateKey: KeyObject;
  readonly #publicPem: string;
  #count = 0;

  constructor(privateKey: KeyObject, publicPem: string) {
    this.#privateKey = privateKey;
    this.#publicPem = publicPem;
    this.publicKeys = new Map([[kid, publicPem]]);
  }

  /** Puts the public key where a process reads it. */
  async writePublicKey(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${kid}.pem`), this.#publicPem);
  }

  /** Of user 1, company 7, HRIntegration, valid for an hour. */
  make({ claims, header, signature = this.#privateKey }: TokenParts = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      sub: '1',
      name: 'HR system',
      company: 7,
      roles: ['HRIntegration'],
      iss: 'rollcall',
      aud: 'rollcall',
      iat: now,
      exp: now + 3600,
      jti: `jti-${++this.#count}`,
    };
    const input = `${encode({ alg: 'EdDSA', typ: 'JWT', kid, ...header })}.${encode({ ...usual, ...claims })}`;
    return `${input}.${this.#sign(input, signature).toString('base64url')}`;
  }

  #sign(input: string, signature: NonNullable<TokenParts['signature']>): Buffer {
    if (signature === 'none') return Buffer.alloc(0);
    if (signature === 'public-key-as-secret')
      return createHmac('sha256', this.#publicPem).update(input).digest();
    if (typeof signature === 'function') return signature(Buffer.from(input));
    return sign(null, Buffer.from(input), signature);
  }
}
