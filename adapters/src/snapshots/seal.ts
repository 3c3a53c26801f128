import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { StateSnapshot } from '@rollcall/application';

/** Snapshots of other state versions are deleted this long after their last put: older processes may read them. */
export const otherVersionLifetimeMs = 24 * 60 * 60_000;

const hashBytesPerTurn = 8 * 1024 * 1024;

const Head = Type.Object({
  stream: Type.String(),
  revision: Type.Integer({ minimum: 0 }),
  stateVersion: Type.Integer(),
  chain: Type.String(),
  recordedAt: Type.String(),
  /** SHA-256, hex, of the other members and the bytes. */
  seal: Type.String(),
});
const isHead = Compile(Head);

export async function sealed(snapshot: StateSnapshot): Promise<Type.Static<typeof Head>> {
  const { stream, revision, stateVersion, chain, recordedAt, bytes } = snapshot;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([stream, revision, stateVersion, chain, recordedAt]));
  for (let at = 0; at < bytes.length; at += hashBytesPerTurn) {
    hash.update(bytes.subarray(at, at + hashBytesPerTurn));
    if (at + hashBytesPerTurn < bytes.length) await setImmediate();
  }
  return { stream, revision, stateVersion, chain, recordedAt, seal: hash.digest('hex') };
}

/** `unusable` if it differs from its seal. */
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
