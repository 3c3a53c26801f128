import {
  type EventReader,
  type EventSubscriber,
  fromJson,
  isInStream,
  lastProjectedOf,
  type Position,
  readInstallation,
  recordedAtOf,
  type RecordedEvent,
  type StateSnapshots,
} from '@rollcall/application/read';
import { companyStateVersion } from '@rollcall/domain';
import { toJson } from './projection.js';

/** Its name among the snapshots; the number is the format. */
const NAME = 'stream-references-1';

export interface Payload {
  kept: boolean;
  /** In ms since the epoch; undefined while pending. */
  endedAt: number | undefined;
}

export interface ReferenceStores {
  readonly log: EventReader & EventSubscriber;
  readonly snapshots: StateSnapshots;
}

export interface References {
  readonly data: Set<string>;
  readonly payloads: Map<string, Payload>;
}

/** The snapshot's bytes; its revision and chain value are the last read event's. */
interface SavedReferences {
  readonly installationId: string;
  readonly stream: string;
  readonly position: string;
  readonly data: readonly string[];
  readonly payloads: readonly (readonly [string, Payload])[];
}

/** Saves nothing where the last read event has no identity. */
export async function saveReferences(
  { log, snapshots }: ReferenceStores,
  event: RecordedEvent,
  { data, payloads }: References,
): Promise<void> {
  const last = lastProjectedOf(event);
  const installationId = await installationOf(log);
  if (last === undefined || installationId === undefined) return;
  const saved: SavedReferences = {
    installationId,
    stream: last.stream,
    position: String(event.position),
    data: [...data],
    payloads: [...payloads],
  };
  await snapshots.put({
    stream: NAME,
    stateVersion: companyStateVersion,
    revision: last.revision,
    chain: last.chain,
    recordedAt: new Date(recordedAtOf(event) ?? 0).toISOString(),
    bytes: toJson(saved),
  });
}

/** Undefined where there are none, or they are of another or a restored log. */
export async function loadReferences({
  log,
  snapshots,
}: ReferenceStores): Promise<(References & { readonly position: Position }) | undefined> {
  const snapshot = await snapshots.newest(NAME, companyStateVersion);
  if (snapshot === undefined || snapshot === 'unusable') return undefined;
  const { revision, chain } = snapshot;
  const { installationId, stream, position, data, payloads } = fromJson(snapshot.bytes) as SavedReferences;
  if ((await installationOf(log)) !== installationId) return undefined;
  if (!(await isInStream(log, { stream, revision, chain }))) return undefined;
  return { position: BigInt(position), data: new Set(data), payloads: new Map(payloads) };
}

const installationOf = async (log: ReferenceStores['log']): Promise<string | undefined> =>
  (await readInstallation(log))?.installationId;
