import { type DocumentWrite, type LoadedEvent, LogCorrupt } from '@rollcall/adapters';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import { EntryCutter, MisshapenSet, readSetEntry } from '@rollcall/domain';
import { type Projection, toJson } from '../projection.js';
import { EmployeeRows } from './employee-row.js';

/** Documents in one part. */
const partWrites = 4000;

/**
 * `employees` [companyId, number] -> the element of GET employees; `employee-order` [companyId, EmployeeID] -> the key of
 * that; `employee-sets` [companyId] -> what is said of the whole set. Numbers only grow and the order is written sorted,
 * so that a large first load fills the store page after page.
 */
export const employees: Projection = { EmployeeSetReplaced: replaced };

async function* replaced(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  const parts = new SetParts(companyOf(event));
  try {
    for await (const chunk of event.chunks()) {
      parts.push(chunk);
      yield* parts.fullParts();
    }
    const summary = parts.finish();
    yield* parts.rest();
    yield [setDocument(event, summary)];
  } catch (error) {
    if (!(error instanceof MisshapenSet)) throw error;
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream}: ${error.message}`);
  }
}

function companyOf(event: LoadedEvent): number {
  const { companyId } = event.metadata;
  if (companyId === null) {
    throw new LogCorrupt(`The event at revision ${event.revision} of ${event.stream} names no company`);
  }
  return companyId;
}

function setDocument(
  event: LoadedEvent,
  { total, setDigest, lastNumber }: EmployeeSetSummary,
): DocumentWrite {
  const document = { revision: event.revision, total, setDigest, lastNumber };
  return { op: 'put', collection: 'employee-sets', key: [companyOf(event)], json: toJson(document) };
}

/** Gathers the writes of one event. Ids of new employees are held to the end, to be written in their order. */
class SetParts {
  readonly #companyId: number;
  readonly #rows: EmployeeRows;
  readonly #cutter: EntryCutter;
  #writes: DocumentWrite[] = [];
  readonly #newIds: { readonly id: string; readonly number: number }[] = [];

  constructor(companyId: number) {
    this.#companyId = companyId;
    this.#rows = new EmployeeRows(companyId);
    this.#cutter = new EntryCutter((kind, bytes, start, end) => {
      if (kind === 'left') this.#left(readSetEntry(kind, bytes, start, end).number);
      else this.#present(kind, bytes, start, end);
    });
  }

  push(chunk: Uint8Array): void {
    this.#cutter.push(chunk);
  }

  finish(): EmployeeSetSummary {
    return this.#cutter.finish();
  }

  #present(kind: 'added' | 'changed', bytes: Buffer, start: number, end: number): void {
    const { number, employeeId, json } = this.#rows.row(kind, bytes, start, end);
    const write = { op: 'put', collection: 'employees', key: [this.#companyId, number], json } as const;
    if (kind === 'added') this.#newIds.push({ id: employeeId, number });
    // The date and the moment of the first invitation stay those of the time when the employee was new.
    this.#writes.push(
      kind === 'added' ? write : { ...write, keep: ['InvitationDate', 'FirstInvitationDate'] },
    );
  }

  #left(number: number): void {
    const indexedBy = { collection: 'employee-order', prefix: [this.#companyId], member: 'EmployeeID' };
    this.#writes.push({ op: 'remove', collection: 'employees', key: [this.#companyId, number], indexedBy });
  }

  *fullParts(): Generator<readonly DocumentWrite[]> {
    while (this.#writes.length >= partWrites) {
      const part = this.#writes.slice(0, partWrites);
      this.#writes = this.#writes.slice(partWrites);
      yield part;
    }
  }

  *rest(): Generator<readonly DocumentWrite[]> {
    const order = this.#newIds.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const { id, number } of order) {
      const key = [this.#companyId, id] as const;
      this.#writes.push({
        op: 'put',
        collection: 'employee-order',
        key,
        json: toJson([this.#companyId, number]),
      });
    }
    yield* this.fullParts();
    yield this.#writes;
  }
}
