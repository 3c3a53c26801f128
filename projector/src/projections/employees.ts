import {
  type BlockPlace,
  blocksCollection,
  changeDocument,
  changesCollection,
  idsCollection,
  type EmployeeSetDocument,
  type EmployeeSetFold,
  employeeSetsCollection,
  fitting,
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
  GivenIds,
  NamedNumbers,
  PlanRanges,
} from '@rollcall/application/read';
import {
  MisshapenSet,
  type EntryRows,
  readEntryRows,
  readSetElement,
  SetEventParser,
} from '@rollcall/employee-lists/set';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { companyOf, type ChunkProjection } from '../projection.js';
import { placeOf, writeOf } from '../document-changes.js';
import { EmployeeBlocks, ignoredRows, type RowSink, type SetPlace } from './employee-blocks.js';
import { parseUtcDate } from '@rollcall/employee-lists/text';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import { parsedRow } from '../employee-rows/employee-row.js';

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
      placeOf(employeeSetsCollection, [companyId]),
      placeOf(changesCollection, shared),
      placeOf(idsCollection, shared),
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

const readInto = (rows: RowSink, { event, documents, fold }: Reading): Promise<EmployeeSetReader> =>
  fitting(event, async () => {
    const reader = new EmployeeSetReader(rows, fold, event.inline?.summary());
    if (event.inline) reader.push(event.inline.text);
    else
      for await (const chunk of verifiedChunks(event)) {
        reader.push(chunk);
        await documents.makeRoom();
      }
    reader.finish();
    return reader;
  });

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

const MOST_MOMENTS = 1_000;

/** Rows go to their blocks as chunks arrive; plans of new employees are held to the end. `fold` gets each entry. */
class EmployeeSetReader {
  readonly plans = new PlanRanges();
  readonly named = new NamedNumbers();
  readonly ids = new GivenIds();
  /** The members before the lists; present once the event was read. */
  summary: EmployeeSetSummary | undefined;
  readonly #rows: RowSink;
  readonly #fold: EmployeeSetFold | undefined;
  readonly #parser: SetEventParser;
  #last = -1;
  readonly #moments = new Map<string, number>();

  constructor(rows: RowSink, fold?: EmployeeSetFold, known?: EmployeeSetSummary) {
    this.#rows = rows;
    this.#fold = fold;
    this.#parser = new SetEventParser(
      (kind, bytes, start, end) => {
        fold?.entry(kind, bytes, start);
        const element = readSetElement(kind, bytes, start);
        if ('idDigest' in element) this.ids.add(element.idDigest, 0, element.number);
        if (kind === 'left') this.#leaves(element.number);
        else this.#take(kind, parsedRow({ kind, bytes, start, end }));
      },
      (kind, bytes, start) =>
        kind === 'left' || kind === 'restored'
          ? start
          : readEntryRows({ bytes, start }, kind, (rows, digests) => {
              fold?.entries(kind, digests);
              if (kind === 'added')
                digests.numbers.forEach((number, at) => this.ids.add(digests.idDigests, 4 * at, number));
              this.#take(kind, rows);
            }),
      (summary) => {
        fold?.begin(summary);
        this.summary = summary;
      },
      known,
    );
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  finish(): void {
    this.#parser.finish();
    this.#fold?.finish();
    this.#rows.endAdded();
  }

  #leaves(number: number): void {
    this.named.add(number);
    this.#rows.left(number);
  }

  /** One who returns has the row with its date, and no row before it. */
  #take(kind: 'added' | 'changed' | 'restored', rows: EntryRows): void {
    for (let at = 0; at < rows.ends.length; at += 1) this.named.add(rows.numbers[at] ?? 0);
    if (kind !== 'added') {
      this.#rows.changed(rows);
      return;
    }
    for (let at = 0; at < rows.ends.length; at += 1) {
      const number = rows.numbers[at] ?? 0;
      if (number <= this.#last) throw new MisshapenSet('the numbers of new employees do not rise');
      this.#last = number;
      const due = rows.dues[at];
      if (due !== undefined) this.plans.add(number, this.#momentOf(due));
    }
    this.#rows.added(rows);
  }

  /** Cached: the plans of an import have few moments. */
  #momentOf(text: string): number {
    const known = this.#moments.get(text);
    if (known !== undefined) return known;
    const due = parseUtcDate(text);
    if (due === null) throw new MisshapenSet('an invitation is due at no moment');
    if (this.#moments.size < MOST_MOMENTS) this.#moments.set(text, due);
    return due;
  }
}

/** A larger event is read twice, in bounded memory. */
const maxHeldBytes = 8 * 1024 * 1024;

/** Verified before the first chunk: documents stored at an event's revision are never written again. `LogCorrupt`. */
async function* verifiedChunks(event: LoadedEvent): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  const isHeld = event.size <= maxHeldBytes;
  // A chunk that is all of the data lies in the event itself.
  for await (const chunk of event.chunks())
    if (isHeld) held.push(chunk.length === event.size ? chunk : new Uint8Array(chunk));
  if (isHeld) yield* held;
  else yield* event.chunks(true);
}
