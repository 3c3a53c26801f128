import { setImmediate } from 'node:timers/promises';
import { type DocumentKey, type ReadModelReader, ReadModelsUnavailable } from '../ports/read-models.js';
import { type EmployeeSet, noBlock, revisionsOf } from './employee-set.js';

/** [companyId, block, revision]: rows of present employees, or changes to them (`row-blocks.ts`). */
export const blocksCollection = 'employee-blocks';

export const blocksTogether = 80;

/** Blocks of the reader's set are gone: it must start again with a newer one. */
export class EmployeeSetReplaced extends ReadModelsUnavailable {
  override readonly name = 'EmployeeSetReplaced';
}

export const replaced = ({ companyId, revision }: EmployeeSet): EmployeeSetReplaced =>
  new EmployeeSetReplaced(`revision ${revision} of the employees of company ${companyId} was replaced`);

export type TakeRows<T> = (rows: Uint8Array, block: number) => T;

/** Reads many blocks at once, and yields to the event loop between these reads. */
export async function* takeBlocks<T>(
  readModels: Pick<ReadModelReader, 'getMany'>,
  set: EmployeeSet,
  blocks: readonly number[],
  take: TakeRows<T>,
): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < blocks.length; from += blocksTogether) {
    if (from > 0) await setImmediate();
    const wanted = blocks.slice(from, from + blocksTogether).flatMap((block) => keysOf(set, block));
    yield await readModels.getMany(blocksCollection, wanted, (value, at) => {
      if (value === undefined) throw replaced(set);
      return take(value, Number(wanted[at]?.[1]));
    });
  }
}

const keysOf = ({ companyId, blocks }: EmployeeSet, block: number): readonly DocumentKey[] =>
  revisionsOf(blocks[block] ?? noBlock).map((revision) => [companyId, block, revision]);
