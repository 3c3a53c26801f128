import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { eventAt } from '../event-store/log-reading.js';
import { headAt, type Fold, type LoadedState } from '../event-store/load-state.js';
import { loadEvent, type LoadedEvent } from '../event-store/loaded-event.js';
import { readInstallation } from '../installation/installation.js';
import type { Clock } from '../ports/clock.js';
import type { EventReader } from '../ports/event-log.js';
import { recordedAtOf, systemContext } from '../event-store/linked-events.js';
import type { ReadModels } from '../ports/read-models.js';
import { AnchoredHeads, signAnchor, type Anchor, type AnchorKey } from './anchor.js';
import { headsInLog, headsInReadModels, type HeadsLog } from './heads.js';

export const anchorsStream = 'anchors';

const ANCHOR_EVERY_MS = 3_600_000;

export interface MakeAnchorDeps {
  readonly log: HeadsLog;
  readonly clock: Clock;
  /** Asked when an anchor is made. */
  readonly key: () => Promise<AnchorKey>;
  /** For a log without an index of its heads. */
  readonly readModels?: Pick<ReadModels, 'liveGeneration'> | undefined;
}

/** Of the log as it is now; writes nothing. Undefined for a log without events. Holds one hash for each level of the tree. */
export async function makeAnchor({
  log,
  clock,
  key,
  readModels,
}: MakeAnchorDeps): Promise<Anchor | undefined> {
  const { installationId } = (await readInstallation(log)) ?? {};
  const found = await (readModels === undefined ? headsInLog(log) : headsInReadModels(log, readModels));
  if (installationId === undefined || found === undefined) return undefined;
  const anchored = new AnchoredHeads();
  for await (const head of found.heads) anchored.add(head);
  const { events, streams, root } = anchored.end();
  const time = new Date(clock.now()).toISOString();
  return signAnchor(
    { installationId, time, position: String(found.position), events, streams, root },
    await key(),
  );
}

/** The time of the newest anchor. Its `recordedAt` is never before that of an anchor of a clock that was ahead. */
const newestFold: Fold<number> = { initial: () => 0, evolve: (_, event) => timeOf(event) };

const timeOf = async (event: LoadedEvent): Promise<number> =>
  Date.parse((await event.data('LogAnchored')).time);

/** Appends an anchor an hour after `own` and the newest (unless of a clock that is ahead); the first an hour after the log began. */
export async function anchorIfDue(
  deps: MakeAnchorDeps & DecideAndAppendDeps,
  own?: Anchor,
): Promise<Anchor | undefined> {
  const { log, clock } = deps;
  const isDue = (newest: number): boolean => Math.abs(clock.now() - newest) >= ANCHOR_EVERY_MS;
  if (own !== undefined && !isDue(Date.parse(own.time))) return undefined;
  const known = await newestState(log);
  if (!isDue(known?.state ?? (await begunMs(log)))) return undefined;
  const anchor = await makeAnchor(deps);
  if (anchor === undefined) return undefined;
  const outcome = await decideAndAppend(deps, {
    stream: anchorsStream,
    context: systemContext('worker', clock.now()),
    fold: newestFold,
    store: { get: () => known, put: () => undefined },
    decide: (newest) =>
      isDue(newest)
        ? { kind: 'events', events: [{ name: 'LogAnchored', data: anchor }] }
        : { kind: 'nothing' },
  });
  return outcome.kind === 'appended' ? anchor : undefined;
}

export async function newestAnchor(log: EventReader): Promise<Anchor | undefined> {
  const last = await log.readLast(anchorsStream);
  return last && loadEvent(log, last).data('LogAnchored');
}

async function newestState(log: EventReader): Promise<LoadedState<number> | undefined> {
  const last = await log.readLast(anchorsStream);
  const event = last && loadEvent(log, last);
  return event && { state: await timeOf(event), head: headAt(event) };
}

/** Infinite for a log without an installation. */
async function begunMs(log: EventReader): Promise<number> {
  const first = await eventAt(log, 'installation');
  return (first && recordedAtOf(first)) ?? Infinity;
}
