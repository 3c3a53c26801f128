import { createHash } from 'node:crypto';

export interface SentKey {
  readonly userId: number;
  /** As the ApiCalls row shows it, so that every spelling of a path is one: `PUT /v1.0/Company/7/Employee`. */
  readonly method: string;
  readonly key: string;
}

/** The name under which a key is kept: SHA-256, hex. Another user's key, or the same key of another path, is another one. */
export const keyHash = ({ userId, method, key }: SentKey): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, method, key]))
    .digest('hex');
