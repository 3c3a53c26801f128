import { createHash } from 'node:crypto';

export interface SentKey {
  readonly userId: number;
  /** As in the ApiCalls row, so that all spellings of a path are one: `PUT /v1.0/Company/7/Employee`. */
  readonly method: string;
  readonly key: string;
}

/** SHA-256, hex. Unique per user, path and key. */
export const keyHash = ({ userId, method, key }: SentKey): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, method, key]))
    .digest('hex');
