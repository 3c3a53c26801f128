import {
  foreignReadModels,
  laggingParts,
  eventsToEnd,
  partsText,
  recordedAtOf,
  streamParts,
  type Clock,
  type GenerationInfo,
  type Position,
  type ReadableEventLog,
  type ReadModels,
} from '@rollcall/application/read';
import { degradation, type HealthProblem } from './health.js';

/** A longer lag is a problem: a large import may take some seconds to project. */
const LAG_ALARM_MS = 30_000;

/** A generation without a write for this long is abandoned. */
const BUILDING_MS = 60_000;

export interface ProjectedStores {
  readonly log: Pick<ReadableEventLog, 'lastPosition' | 'readStream' | 'readLast' | 'subscribeToAll'>;
  readonly readModels: Pick<ReadModels, 'progress' | 'generations'>;
  readonly clock: Clock;
}

interface ReadModelLag {
  /** Age (ms) of the oldest event that is not fully projected; 0 where there is none. */
  readonly ms: number;
  readonly position: Position | undefined;
  readonly end: Position | undefined;
  /** A bit for each part of the streams that others are ahead of. */
  readonly lagging: bigint;
}

/** Lag of this log's own read models. Throws where a store is away, or silent until the signal aborts. */
export async function readModelLag(stores: ProjectedStores, signal: AbortSignal): Promise<ReadModelLag> {
  const { log, readModels, clock } = stores;
  const progress = await readModels.progress();
  const { position } = progress;
  const end = await log.lastPosition();
  if (!isBehind(position, end)) return { ms: 0, position, end, lagging: 0n };
  const recordedAt = await firstBehind(log, position, signal);
  const now = clock.now();
  return { ms: Math.max(0, now - (recordedAt ?? now)), position, end, lagging: laggingParts(progress) };
}

const isBehind = (position: Position | undefined, end: Position | undefined): boolean =>
  end !== undefined && (position === undefined || position < end);

async function firstBehind(
  log: ProjectedStores['log'],
  after: Position | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  for await (const event of eventsToEnd(log, after, signal)) return recordedAtOf(event);
  return undefined;
}

/** Share (0 to 1) of the log in the read models under construction; undefined where there are none. */
export const builtShare = async (stores: ProjectedStores): Promise<number | undefined> =>
  shareOf(stores, await stores.readModels.generations());

async function shareOf(
  { log, clock }: Pick<ProjectedStores, 'log' | 'clock'>,
  all: readonly GenerationInfo[],
): Promise<number | undefined> {
  const fresh = clock.now() - BUILDING_MS;
  const building = all.filter(({ status, at }) => status === 'building' && at >= fresh);
  if (building.length === 0) return hasLive(all) ? undefined : 0;
  const end = Number((await log.lastPosition()) ?? 0n);
  const shares = building.map(({ progress: { position } }) => (end === 0 ? 1 : Number(position ?? 0n) / end));
  return Math.min(1, ...shares);
}

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

const hasLive = (all: readonly GenerationInfo[]): boolean => all.some(({ status }) => status === 'live');

const slowest = (parts: bigint): string =>
  parts === 0n ? '' : `, the slowest in parts ${partsText(parts)} of ${streamParts}`;

/** Lag and builds, with figures; for foreign read models builds only. */
export async function lagProblems(stores: ProjectedStores, signal: AbortSignal): Promise<HealthProblem[]> {
  const all = await stores.readModels.generations();
  const share = await shareOf(stores, all);
  if (!hasLive(all)) return [degradation(`read models are being built: ${percent(share ?? 0)}`)];
  const building =
    share === undefined ? [] : [degradation(`read models are being built anew: ${percent(share)}`)];
  if ((await foreignReadModels(stores.log, await stores.readModels.progress())) !== undefined)
    return building;
  const { ms, position, end, lagging } = await readModelLag(stores, signal);
  if (ms < LAG_ALARM_MS) return building;
  const behind =
    `the read models are ${Math.floor(ms / 1_000)} s behind the event log: they are at position ` +
    `${position ?? 'none'} of ${end ?? 'none'}${slowest(lagging)}`;
  return [degradation(behind), ...building];
}
