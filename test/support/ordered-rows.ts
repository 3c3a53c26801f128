import {
  type OrderedRows,
  readEmployeeSet,
  readOrderedRows,
  type ReadModelReader,
} from '@rollcall/application';

/** An employee as readers are shown it; the row is valid until the next batch is asked for. */
export interface ShownRow {
  readonly number: number;
  readonly row: Uint8Array;
  readonly date: string | undefined;
}

/** The newest set, an object for each employee. */
export async function* orderedRows(
  readModels: Pick<ReadModelReader, 'getMany'>,
  { companyId, ...wanted }: OrderedRows & { readonly companyId: number },
): AsyncGenerator<readonly ShownRow[]> {
  const set = await readEmployeeSet(readModels, companyId);
  if (set === undefined) return;
  for await (const { length, numberAt, rowAt, dateAt } of readOrderedRows(readModels, set, wanted))
    yield Array.from({ length }, (_, at) => ({ number: numberAt(at), row: rowAt(at), date: dateAt(at) }));
}
