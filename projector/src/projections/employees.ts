import { type DocumentWrite, type LoadedEvent, LogCorrupt } from '@rollcall/application/read';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import { SetEventParser, MisshapenSet, readSetElement } from '@rollcall/domain';
import { companyOf, type Projection, toJson } from '../projection.js';
import { EmployeeRows, type EntryPlace } from './employee-row.js';
import { InvitationPlans, type SetPlace } from './invitation-plans.js';
import { JsonArena } from './json-arena.js';

/** Events from this size on are applied part by part, so that memory can be used again. */
const reuseFrom = 1024 * 1024;

/** Documents in one part. */
const batchWrites = 4000;

/**
 * `employees` [companyId, number] -> the element of GET employees; `employee-order` [companyId, EmployeeID] -> the key of
 * that; `employee-sets` [companyId] -> what is said of the whole set; and the invitations that are planned. Numbers only
 * grow and the order is written sorted, so that a large first load fills the store page after page.
 */
export const employees: Projection = { EmployeeSetReplaced: replaced };

async function* replaced(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  const arena = new JsonArena(event.size, event.size > reuseFrom);
  const parts = new SetBatches(
    { companyId: companyOf(event), operationId: event.metadata.operationId },
    arena,
  );
  try {
    for await (const chunk of event.chunks()) {
      parts.push(chunk);
      yield* parts.fullBatches();
    }
    const summary = parts.finish();
    yield* parts.rest();
    yield [setDocument(event, summary)];
  } catch (error) {
    if (!(error instanceof MisshapenSet)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

function setDocument(
  event: LoadedEvent,
  { total, setDigest, lastNumber }: EmployeeSetSummary,
): DocumentWrite {
  const document = { revision: event.revision, total, setDigest, lastNumber };
  return { op: 'put', collection: 'employee-sets', key: [companyOf(event)], json: toJson(document) };
}

/** Gathers the writes of one event. Ids and plans of new employees are held to the end, to be written in their order. */
class SetBatches {
  readonly #companyId: number;
  readonly #arena: JsonArena;
  readonly #rows: EmployeeRows;
  readonly #plans: InvitationPlans;
  readonly #parser: SetEventParser;
  #writes: DocumentWrite[] = [];
  readonly #full: DocumentWrite[][] = [];
  readonly #orderKeys: string[] = [];

  constructor({ companyId, operationId }: SetPlace, arena: JsonArena) {
    this.#companyId = companyId;
    this.#arena = arena;
    this.#rows = new EmployeeRows(companyId, arena);
    this.#plans = new InvitationPlans({ companyId, operationId }, arena);
    this.#parser = new SetEventParser((kind, bytes, start, end) => {
      if (kind === 'left') this.#left(readSetElement(kind, bytes, start, end).number);
      else this.#present({ kind, bytes, start, end });
    });
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  finish(): EmployeeSetSummary {
    return this.#parser.finish();
  }

  #add(write: DocumentWrite): void {
    this.#writes.push(write);
    if (this.#writes.length < batchWrites) return;
    this.#full.push(this.#writes);
    this.#writes = [];
    this.#arena.nextPart();
  }

  #present(entry: EntryPlace): void {
    const { kind, bytes, start, end } = entry;
    const { number, orderKey, json } = this.#rows.row(entry);
    const write = { op: 'put', collection: 'employees', key: [this.#companyId, number], json } as const;
    if (kind === 'added') {
      this.#orderKeys.push(orderKey);
      this.#plans.added(number, bytes, start, end);
      this.#add(write);
    } else {
      // The date stays that of the time when the employee was new.
      this.#add({ ...write, keep: ['InvitationDate'] });
    }
  }

  #left(number: number): void {
    const indexedBy = { collection: 'employee-order', prefix: [this.#companyId], member: 'EmployeeID' };
    this.#add({ op: 'remove', collection: 'employees', key: [this.#companyId, number], indexedBy });
    for (const write of this.#plans.left(number)) this.#add(write);
  }

  /** The parts that are full by now. */
  *fullBatches(): Generator<readonly DocumentWrite[]> {
    for (let part = this.#full.shift(); part !== undefined; part = this.#full.shift()) yield part;
  }

  *rest(): Generator<readonly DocumentWrite[]> {
    for (const entry of this.#orderKeys.sort()) {
      const end = entry.indexOf('\0');
      const json = this.#arena.text(`[${this.#companyId},${entry.slice(end + 1)}]`);
      this.#add({
        op: 'put',
        collection: 'employee-order',
        key: [this.#companyId, entry.slice(0, end)],
        json,
      });
      yield* this.fullBatches();
    }
    for (const write of this.#plans.writes()) {
      this.#add(write);
      yield* this.fullBatches();
    }
    yield this.#writes;
  }
}
