import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { StateSnapshot } from '@rollcall/application';

/** Those of another state version go so long after the last of them was put: until then older processes may read them. */
export const OTHER_VERSION_MS = 24 * 60 * 60_000;

/** Bytes that are hashed between two turns of the event loop. */
const HASH_BYTES = 8 * 1024 * 1024;

const Head = Type.Object({
  stream: Type.String(),
  revision: Type.Integer({ minimum: 0 }),
  stateVersion: Type.Integer(),
  chain: Type.String(),
  recordedAt: Type.String(),
  /** SHA-256, in hexadecimal digits, of all of it: the members in front and the bytes. */
  seal: Type.String(),
});
const isHead = Compile(Head);

/** What is kept of a snapshot beside its bytes. */
export type SealedHead = Type.Static<typeof Head>;

export async function sealed(snapshot: StateSnapshot): Promise<SealedHead> {
  const { stream, revision, stateVersion, chain, recordedAt, bytes } = snapshot;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([stream, revision, stateVersion, chain, recordedAt]));
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    hash.update(bytes.subarray(at, at + HASH_BYTES));
    if (at + HASH_BYTES < bytes.length) await setImmediate();
  }
  return { stream, revision, stateVersion, chain, recordedAt, seal: hash.digest('hex') };
}

/** The snapshot of this stream and state version; `unusable` where anything is not as it was sealed. */
export async function unsealed(
  head: unknown,
  bytes: Uint8Array,
  wanted: Pick<StateSnapshot, 'stream' | 'stateVersion'>,
): Promise<StateSnapshot | 'unusable'> {
  if (!isHead.Check(head) || head.stream !== wanted.stream || head.stateVersion !== wanted.stateVersion)
    return 'unusable';
  const { stream, revision, stateVersion, chain, recordedAt, seal } = head;
  const snapshot = { stream, revision, stateVersion, chain, recordedAt, bytes };
  return (await sealed(snapshot)).seal === seal ? snapshot : 'unusable';
}
