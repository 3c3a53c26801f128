import { lastProjectedOf } from '../installation/checkpoint.js';
import { readInstallation } from '../installation/installation.js';
import { logSnapshot, putLogSnapshot, type SnapshotStores } from '../installation/log-snapshot.js';
import type { Position, RecordedEvent } from '../ports/event-log.js';

/** Its format's number is in it. Like any snapshot it may be lost: then the proof begins anew. */
const name = 'log-proof-1';

export interface BrokenStream {
  readonly stream: string;
  readonly revision: number;
  /** Names no value. */
  readonly problem: string;
  /** In ms since the epoch. */
  readonly foundAt: number;
}

/** How far this round of the continuous proof is, and what came of those before it. Times in ms since the epoch. */
export interface LogProof {
  /** Undefined at the beginning of a round. */
  readonly verifiedTo: Position | undefined;
  readonly begunAt: number;
  /** When a round last ended and had found everything whole. */
  readonly wholeAt: number | null;
  readonly broken: readonly BrokenStream[];
  /** Who verifies, and when it last said so. */
  readonly by: string;
  readonly at: number;
}

type Saved = Omit<LogProof, 'verifiedTo'> & { readonly verifiedTo: string | null };

/** Undefined where there is none, or it is of another, a restored or a moved log. */
export async function readProof(stores: SnapshotStores): Promise<LogProof | undefined> {
  const saved = (await logSnapshot(stores, name)) as Saved | undefined;
  if (saved === undefined) return undefined;
  const { verifiedTo, begunAt, wholeAt, broken, by, at } = saved;
  return {
    verifiedTo: verifiedTo === null ? undefined : BigInt(verifiedTo),
    begunAt,
    wholeAt,
    broken,
    by,
    at,
  };
}

/** `last` is a verified event of a stream that is never deleted: a log without it is another one. */
export async function saveProof(
  stores: SnapshotStores,
  { verifiedTo, ...proof }: LogProof,
  last: RecordedEvent,
): Promise<void> {
  const seen = lastProjectedOf(last);
  const installationId = (await readInstallation(stores.log))?.installationId;
  if (seen === undefined || installationId === undefined) return;
  const position = String(last.position);
  const state = { ...proof, position, verifiedTo: verifiedTo === undefined ? null : String(verifiedTo) };
  const recordedAt = new Date(proof.at).toISOString();
  await putLogSnapshot(stores, { name, last: { installationId, ...seen }, recordedAt, state });
}
