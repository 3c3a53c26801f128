import {
  type EventReader,
  type EventSubscriber,
  lastProjectedOf,
  logSnapshot,
  type Position,
  putLogSnapshot,
  readInstallation,
  recordedAtOf,
  type RecordedEvent,
  type StateSnapshots,
} from '@rollcall/application/read';

const name = 'stream-references-1';

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

interface SavedReferences {
  readonly position: string;
  readonly data: readonly string[];
  readonly payloads: readonly (readonly [string, Payload])[];
}

/** Saves nothing where the last read event has no identity. */
export async function saveReferences(
  stores: ReferenceStores,
  event: RecordedEvent,
  { data, payloads }: References,
): Promise<void> {
  const last = lastProjectedOf(event);
  const installationId = (await readInstallation(stores.log))?.installationId;
  if (last === undefined || installationId === undefined) return;
  const state: SavedReferences = {
    position: String(event.position),
    data: [...data],
    payloads: [...payloads],
  };
  const recordedAt = new Date(recordedAtOf(event) ?? 0).toISOString();
  await putLogSnapshot(stores, { name, last: { installationId, ...last }, recordedAt, state: { ...state } });
}

/** Undefined where there are none, or they are of another or a restored log. */
export async function loadReferences(
  stores: ReferenceStores,
): Promise<(References & { readonly position: Position }) | undefined> {
  const saved = (await logSnapshot(stores, name)) as SavedReferences | undefined;
  if (saved === undefined) return undefined;
  const { position, data, payloads } = saved;
  return { position: BigInt(position), data: new Set(data), payloads: new Map(payloads) };
}
