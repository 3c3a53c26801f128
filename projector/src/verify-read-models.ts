import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedReadModels } from '@rollcall/adapters/read';
import {
  apiCallsCollection,
  attemptsCollection,
  type CallTerm,
  type Clock,
  shownUntil,
  sleep,
  type Sleep,
  systemClock,
  foreignReadModels,
  GenerationReplaced,
  isLeftOver,
  type LiveGeneration,
  throughOutages,
  type ParkedStream,
  type EventReader,
  type EventSubscriber,
  type Position,
  type ReadModels,
  ReadModelsUnavailable,
  lastProjected,
  readModelCollections,
} from '@rollcall/application/read';
import { temporaryFolders } from '@rollcall/host/read';

import { differenceBetween, differentDocuments, type Difference } from './compare-documents.js';
import { projections } from './projections/index.js';
import { rebuildInto, type RebuildRun } from './rebuild.js';

interface VerifyReadModelsOptions {
  readonly log: EventReader & EventSubscriber;
  readonly readModels: Pick<ReadModels, 'liveGeneration'>;
  readonly temporaryFolder?: string;
  /** Rows of calls past it may be missing. */
  readonly callTerm?: CallTerm;
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly onRead?: (position: Position) => void;
  /** After some compared documents, with the number of their collection. */
  readonly onCompared?: (collection: number) => void;
}

export type ReadModelsVerdict =
  | { readonly kind: 'same'; readonly documents: number; readonly position: Position | undefined }
  | { readonly kind: 'different'; readonly difference: Difference }
  | { readonly kind: 'parked-stream'; readonly broken: ParkedStream }
  /** They are not this log's. */
  | { readonly kind: 'foreign'; readonly problem: string };

type Options = Omit<VerifyReadModelsOptions, 'readModels'> & { readonly readModels: LiveGeneration };

const maxComparisons = 1_000;
const compareAgainMs = 20;

/** Compares with a rebuild in a temporary store. Confirms a difference at one position, so a projector may be running. */
export async function verifyReadModels(options: VerifyReadModelsOptions): Promise<ReadModelsVerdict> {
  for (;;) {
    const readModels = await options.readModels.liveGeneration();
    try {
      const verdict = await verifyGeneration({ ...options, readModels });
      await readModels.ensureLive();
      return verdict;
    } catch (error) {
      if (!(error instanceof GenerationReplaced)) throw error;
    }
  }
}

async function verifyGeneration(options: Options): Promise<ReadModelsVerdict> {
  const [broken] = await options.readModels.parkedStreams();
  if (broken !== undefined) return { kind: 'parked-stream', broken };
  const progress = await options.readModels.progress();
  const foreign = await foreignReadModels(options.log, progress);
  if (foreign !== undefined) return { kind: 'foreign', problem: foreign.message };
  const folder = mkdtempSync(join(options.temporaryFolder ?? tmpdir(), 'rollcall-verify-'));
  temporaryFolders.add(folder);
  // The open files go with the process, however it ends.
  const remove = () => rm(folder, { recursive: true, force: true });
  const rebuilt = await openEmbeddedReadModels({ folder, sync: false }).finally(remove);
  try {
    return await compare(options, await rebuilt.liveGeneration(), progress.position);
  } finally {
    await rebuilt.close();
  }
}

async function compare(
  options: Options,
  rebuilt: LiveGeneration,
  position: Position | undefined,
): Promise<ReadModelsVerdict> {
  const run: RebuildRun = {
    log: options.log,
    projections,
    onRead: (event) => options.onRead?.(event.position),
  };
  let reached: Position | undefined;
  const rebuildTo = async (to: Position | undefined): Promise<void> => {
    if (to !== reached) await rebuildInto(rebuilt, run, to);
    reached = to;
  };
  await throughOutages(() => rebuildTo(position));
  const [broken] = await rebuilt.parkedStreams();
  if (broken !== undefined) return { kind: 'parked-stream', broken };
  let documents = 0;
  for (const [index, { name }] of readModelCollections.entries()) {
    for await (const seen of differentDocuments(name, options.readModels, rebuilt)) {
      options.onCompared?.(index);
      if (typeof seen === 'number') {
        documents += seen;
        continue;
      }
      if (await wasRemoved(rebuilt, seen, options)) continue;
      const difference = await confirm(seen, options, rebuilt, rebuildTo);
      if (difference !== undefined) return { kind: 'different', difference };
    }
  }
  return { kind: 'same', documents, position };
}

/** Compares at one revision of the stream; undefined where equal. */
async function confirm(
  seen: Difference,
  options: Options,
  rebuilt: LiveGeneration,
  rebuildTo: (position: Position | undefined) => Promise<void>,
): Promise<Difference | undefined> {
  for (let look = 0; look < maxComparisons; look += 1) {
    const { position } = await options.readModels.progress();
    // Close behind it: a projector at work moves on during the rebuild.
    const [live] = await options.readModels.newest(seen.collection, [seen.key]);
    await rebuildTo(position);
    const difference = await differenceFrom(rebuilt, seen, live?.value, options);
    if (difference === undefined) return undefined;
    const [own] = await rebuilt.newest(seen.collection, [seen.key]);
    if (own?.revision === live?.revision || (await isAtRest(options, position))) return difference;
    await pause(options);
  }
  throw new ReadModelsUnavailable(
    `a document of ${seen.collection} cannot be compared while the read models stand behind the log: see that a projector runs`,
  );
}

const pause = (options: Options): Promise<void> =>
  (options.sleep ?? sleep)(compareAgainMs, new AbortController().signal);

/** Undefined also for documents outside the newest set. */
async function differenceFrom(
  rebuilt: LiveGeneration,
  seen: Difference,
  live: Uint8Array | undefined,
  options: Options,
): Promise<Difference | undefined> {
  const { collection, key } = seen;
  if (await isLeftOver(rebuilt, collection, key)) return undefined;
  const own = await rebuilt.get(collection, key);
  if (live === undefined && (await isPastTerm(rebuilt, seen, options))) return undefined;
  return differenceBetween(seen, live, own);
}

const wasRemoved = async (rebuilt: LiveGeneration, seen: Difference, options: Options): Promise<boolean> =>
  seen.what === 'missing' && (await isPastTerm(rebuilt, seen, options));

/** Removed, or to be removed. */
async function isPastTerm(
  rebuilt: LiveGeneration,
  { collection, key }: Difference,
  { callTerm = Infinity, clock = systemClock }: Options,
): Promise<boolean> {
  if (collection !== apiCallsCollection && collection !== attemptsCollection) return false;
  const [call] = await rebuilt.newest(apiCallsCollection, [key]);
  return call?.value !== undefined && shownUntil({ ...call, value: call.value }, callTerm) <= clock.now();
}

async function isAtRest({ log, readModels }: Options, position: Position | undefined): Promise<boolean> {
  const now = (await readModels.progress()).position;
  const last = await lastProjected(log);
  return now === position && (last === undefined || (now !== undefined && now >= last));
}
