import { type OrderedRows, readOrderedRows, type ReadModelReader } from '@rollcall/application';

/** An employee as readers are shown it; the row is valid until the next batch is asked for. */
export interface ShownRow {
  readonly employeeId: string;
  readonly number: number;
  readonly row: Uint8Array;
}

/** What `readOrderedRows` tells, an object for each employee. */
export async function* orderedRows(
  readModels: Pick<ReadModelReader, 'get' | 'getMany'>,
  wanted: OrderedRows,
): AsyncGenerator<readonly ShownRow[]> {
  for await (const { length, idAt, numberAt, rowAt } of readOrderedRows(readModels, wanted))
    yield Array.from({ length }, (_, at) => ({ employeeId: idAt(at), number: numberAt(at), row: rowAt(at) }));
}
