import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbeddedReadModels } from '@rollcall/adapters/read';
import {
  foreignReadModels,
  throughOutages,
  type ParkedStream,
  type EventReader,
  type EventSubscriber,
  type Position,
  type ReadModelReader,
  type ReadModels,
  type ReadModelWriter,
  lastProjected,
  readModelCollections,
} from '@rollcall/application/read';

import { differenceBetween, differentDocuments, type Difference } from './compare-documents.js';
import { projections } from './projections/index.js';
import { rebuildInto, type RebuildRun } from './rebuild.js';

export interface VerifyReadModelsOptions {
  readonly log: EventReader & EventSubscriber;
  readonly readModels: ReadModelReader & Pick<ReadModelWriter, 'newest'>;
  /** Where the rebuilt read models are kept meanwhile; the system's temporary folder by default. */
  readonly temporaryFolder?: string;
  /** Up to here the log is projected once more. */
  readonly onApplied?: (position: Position) => void;
  /** Each time that a document was compared: it is of the collection with this number among those declared. */
  readonly onCompared?: (collection: number) => void;
}

export type ReadModelsVerdict =
  | { readonly kind: 'same'; readonly documents: number; readonly position: Position | undefined }
  | { readonly kind: 'different'; readonly difference: Difference }
  | { readonly kind: 'broken-stream'; readonly broken: ParkedStream }
  /** They are not this log's. */
  | { readonly kind: 'foreign'; readonly problem: string };

/** How often a document that differs is looked at again while the live read models move. */
const LOOKS = 1_000;
/** How long it waits while the live read models are ahead of their progress. */
const LOOK_AGAIN_MS = 20;

/**
 * Builds the read models from the log in a temporary store and compares them with the live ones, document by document,
 * as of the live progress. A running projector does not disturb it: what differs is looked at again at one and the same
 * position before it is called a difference.
 */
export async function verifyReadModels(options: VerifyReadModelsOptions): Promise<ReadModelsVerdict> {
  const [broken] = await options.readModels.parkedStreams();
  if (broken !== undefined) return { kind: 'broken-stream', broken };
  const progress = await options.readModels.progress();
  const foreign = await foreignReadModels(options.log, progress);
  if (foreign !== undefined) return { kind: 'foreign', problem: foreign.message };
  const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), 'rollcall-verify-'));
  try {
    const rebuilt = await openEmbeddedReadModels({ folder, sync: false });
    try {
      return await compare(options, rebuilt, progress.position);
    } finally {
      await rebuilt.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(
  options: VerifyReadModelsOptions,
  rebuilt: ReadModels,
  position: Position | undefined,
): Promise<ReadModelsVerdict> {
  const onApplied = (event: { readonly position: Position }): Promise<void> => {
    options.onApplied?.(event.position);
    return Promise.resolve();
  };
  const run: RebuildRun = { log: options.log, projections, onApplied };
  const rebuildTo = (to: Position | undefined): Promise<void> => rebuildInto(rebuilt, run, to);
  // What was built so far is kept: it goes on behind it.
  await throughOutages(() => rebuildTo(position));
  const [broken] = await rebuilt.parkedStreams();
  if (broken !== undefined) return { kind: 'broken-stream', broken };
  let documents = 0;
  for (const [index, { name }] of readModelCollections.entries()) {
    for await (const seen of differentDocuments(name, options.readModels, rebuilt)) {
      documents += 1;
      options.onCompared?.(index);
      if (seen === undefined) continue;
      const difference = await confirm(seen, options, rebuilt, rebuildTo);
      if (difference !== undefined) return { kind: 'different', difference };
    }
  }
  return { kind: 'same', documents, position };
}

/** Looks at both documents at one revision of their stream; undefined where they do not differ there. */
async function confirm(
  seen: Difference,
  options: VerifyReadModelsOptions,
  rebuilt: ReadModels,
  rebuildTo: (position: Position | undefined) => Promise<void>,
): Promise<Difference | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const { position } = await options.readModels.progress();
    await rebuildTo(position);
    const [live] = await options.readModels.newest(seen.collection, [seen.key]);
    const difference = differenceBetween(seen, live?.value, await rebuilt.get(seen.collection, seen.key));
    if (difference === undefined) return undefined;
    const [own] = await rebuilt.newest(seen.collection, [seen.key]);
    if (own?.revision === live?.revision || (await isAtRest(options, position))) return difference;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Error(`the read models move too fast to compare a document of ${seen.collection}`);
}

/** Nothing is under way: everything in the log was projected, before and after the document was read. */
async function isAtRest(
  { log, readModels }: VerifyReadModelsOptions,
  position: Position | undefined,
): Promise<boolean> {
  const now = (await readModels.progress()).position;
  const last = await lastProjected(log);
  return now === position && (last === undefined || (now !== undefined && now >= last));
}
