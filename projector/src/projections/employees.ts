import {
  type BlockPlace,
  blocksCollection,
  changeDocument,
  changesCollection,
  idsCollection,
  type EmployeeSetDocument,
  type EmployeeSetFold,
  employeeSetsCollection,
  lastPlanned,
  type LoadedEvent,
  LogCorrupt,
  newestIn,
  plansCollection,
  type PlansDocument,
  replacedSet,
  sharedKey,
  type SetHead,
  type SharedDocument,
  toJson,
} from '@rollcall/application/read';
import { MisshapenSet } from '@rollcall/employee-lists/set';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { writeOf } from '../document-changes.js';
import { companyOf, type ChunkProjection } from '../projection.js';
import { EmployeeBlocks, ignoredRows, type RowSink, type SetPlace } from './employee-blocks.js';
import { EmployeeSetReader, verifiedChunks } from './employee-set-reader.js';

/**
 * `employee-blocks` [companyId, block, revision]: rows of GET employees (`BlockBuilder`). `employee-changes`: whom each event
 * names. `employee-ids`: who has got which EmployeeID. `employee-sets` [companyId]: the set's blocks, written after the others.
 * `invitation-plans` [companyId, last number]; of an undo [companyId, -revision].
 */
export const employees: ChunkProjection = {
  collections: [employeeSetsCollection, blocksCollection, changesCollection, idsCollection, plansCollection],
  event: 'EmployeeSetReplaced',
  reads: (event) => {
    const companyId = companyOf(event);
    const shared = sharedKey(companyId, event.revision);
    return [
      { collection: employeeSetsCollection, key: [companyId] },
      { collection: changesCollection, key: shared },
      { collection: idsCollection, key: shared },
    ];
  },
  project: async (event, documents, fold) => {
    const { stream, revision } = event;
    const place = { companyId: companyOf(event), revision, stream };
    const found = await documents.readObject(employeeSetsCollection, [place.companyId]);
    const before = found as EmployeeSetDocument | undefined;
    const reading = { event, documents, fold, place };
    if (before !== undefined && before.revision >= revision) await repeat(reading, before);
    else await replace(reading, before);
  },
};

/** In the JSON of a set, about. */
const bytesOfBlock = 16;

interface Reading {
  readonly event: LoadedEvent;
  readonly documents: DocumentsInHand;
  readonly fold: EmployeeSetFold | undefined;
  readonly place: SetPlace;
}

async function replace(reading: Reading, before: EmployeeSetDocument | undefined): Promise<void> {
  const { event, documents, place } = reading;
  const { companyId, revision } = place;
  const blocks = new EmployeeBlocks(documents, place, before?.blocks ?? []);
  const reader = await readInto(blocks, reading);
  const head = headOf(reader, event);
  const at = Date.parse(event.metadata.recordedAt);
  const change = changeDocument(companyId, [revision, at, head.total, ...reader.named.ranges]);
  await putBehind(documents, changesCollection, change, revision);
  for (const ids of reader.ids.documents(companyId, revision))
    await putBehind(documents, idsCollection, ids, revision);
  const set = replacedSet(before, head, await blocks.writeHeld(), at);
  const directory = { collection: employeeSetsCollection, key: [companyId], revision };
  documents.setObject(directory, set, bytesOfBlock * set.blocks.length);
  deleteParts(documents, place, set);
  putPlans(documents, reader, event);
}

async function putBehind(
  documents: DocumentsInHand,
  collection: string,
  { key, behind }: SharedDocument,
  revision: number,
): Promise<void> {
  // One of this event alone is there or not: the store leaves out a repeat.
  const stored = key[2] === 0 ? await documents.read(collection, key) : undefined;
  if (stored !== undefined && stored.revision >= revision) return;
  const write = { collection, key, revision };
  documents.set(writeOf(write, { value: behind(stored?.value) }));
}

/** The set has the event already; documents that are written after the set may be missing. */
async function repeat(reading: Reading, set: EmployeeSetDocument): Promise<void> {
  const { event, documents, place } = reading;
  const reader = await readInto(ignoredRows, reading);
  if (set.revision === place.revision) deleteParts(documents, place, set);
  putPlans(documents, reader, event);
}

async function readInto(rows: RowSink, { event, documents, fold }: Reading): Promise<EmployeeSetReader> {
  try {
    const reader = new EmployeeSetReader(rows, fold, event.inline?.summary());
    if (event.inline) reader.push(event.inline.text);
    else
      for await (const chunk of verifiedChunks(event)) {
        reader.push(chunk);
        await documents.makeRoom();
      }
    reader.finish();
    return reader;
  } catch (error) {
    if (!(error instanceof MisshapenSet)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

function headOf({ summary }: EmployeeSetReader, { revision, stream }: LoadedEvent): SetHead {
  if (summary === undefined) throw new LogCorrupt(`The event at revision ${revision} of ${stream} is empty`);
  const { total, setDigest, lastNumber } = summary;
  return { revision, total, setDigest, lastNumber };
}

/** Deletes blocks that no reader may still use, and leftovers of older revisions. */
function deleteParts(
  documents: DocumentsInHand,
  { companyId, revision }: SetPlace,
  { deleted }: EmployeeSetDocument,
): void {
  const remove = (block: number, place: BlockPlace, from = 0): void =>
    documents.delete({
      op: 'delete-to',
      collection: blocksCollection,
      key: [companyId, block, newestIn(place)],
      from,
      revision,
    });
  for (const { blocks, changes } of deleted) {
    for (const [block, place] of blocks) remove(block, place);
    for (const [block, place] of changes) if (place.length > 1) remove(block, place, place[0] + 1);
  }
}

/** Indexed by position, for readers that know the plans up to a position of the log. */
function putPlans(documents: DocumentsInHand, reader: EmployeeSetReader, event: LoadedEvent): void {
  const [companyId, { revision, metadata }] = [companyOf(event), event];
  const put = (last: number, plans: PlansDocument): void => {
    const place = { collection: plansCollection, key: [companyId, last], revision };
    const indexed = { position: [Number(event.position)] };
    documents.set(writeOf(place, { value: toJson(plans), indexed }));
  };
  const { operationId, undoes } = metadata;
  for (const plans of reader.plans.documents(operationId)) put(lastPlanned(plans), plans);
  // Of nobody, before all others: plans of people who have come back are open again.
  if (undoes !== undefined) put(-revision, { operationId, first: 0, ranges: [] });
}
