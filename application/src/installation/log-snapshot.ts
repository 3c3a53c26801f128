import { companyStateVersion } from '@rollcall/domain';
import { isInStream } from './checkpoint.js';
import { readInstallation } from './installation.js';
import type { EventReader, Position } from '../ports/event-log.js';
import type { LastProjected } from '../ports/read-models.js';
import type { StateSnapshots } from '../ports/state-snapshots.js';
import { fromJson, toJson } from '../read-models/documents.js';

export interface SnapshotStores {
  readonly log: EventReader;
  readonly snapshots: StateSnapshots;
}

/**
 * What follows from the log up to `last`, and its name among the snapshots, which ends with the number of its format. A member
 * `position` of the state is that of `last`.
 */
interface LogSnapshot {
  readonly name: string;
  readonly last: LastProjected;
  readonly recordedAt: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** That of companies' states, beside which it lies. */
const stateVersion = companyStateVersion;

/** Saves nothing of a log without an installation, which cannot be known again. */
export async function putLogSnapshot(
  { snapshots }: Pick<SnapshotStores, 'snapshots'>,
  { name, last: { installationId, stream, revision, chain }, recordedAt, state }: LogSnapshot,
): Promise<void> {
  if (installationId === null) return;
  const bytes = toJson({ installationId, stream, ...state });
  await snapshots.put({ stream: name, stateVersion, revision, chain, recordedAt, bytes });
}

interface SavedState {
  readonly installationId: string;
  readonly stream: string;
  readonly position?: string;
}

/** Undefined where there is none, or it is of another, a restored or a moved log. */
export async function logSnapshot({ log, snapshots }: SnapshotStores, name: string): Promise<unknown> {
  const snapshot = await snapshots.newest(name, stateVersion);
  if (snapshot === undefined || snapshot === 'unusable') return undefined;
  const { revision, chain } = snapshot;
  const state = fromJson(snapshot.bytes) as SavedState;
  if ((await readInstallation(log))?.installationId !== state.installationId) return undefined;
  const { stream, position } = state;
  const isItsPosition = (at: Position): boolean => position === undefined || String(at) === position;
  return (await isInStream(log, { stream, revision, chain }, isItsPosition)) ? state : undefined;
}
