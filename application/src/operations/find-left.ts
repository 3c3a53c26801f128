import type { Digester } from '@rollcall/employee-lists';
import type { ReadModelReader } from '../ports/read-models.js';
import { numbersOfId } from '../read-models/employee-changes.js';
import { readRows } from '../read-models/employee-rows.js';
import type { FoundPerson } from './find-people.js';

/** Those who had this EmployeeID, as it was written, and have left. Nothing keeps their names and addresses but the log. */
export async function findLeft(
  readModels: Pick<ReadModelReader, 'findBatches' | 'get' | 'getMany'>,
  digester: Digester,
  companyId: number,
  employeeId: string,
): Promise<readonly FoundPerson[]> {
  const words = new Uint32Array(4);
  digester.idDigestOf(employeeId, words, 0);
  const numbers = await numbersOfId(readModels, companyId, words[0] ?? 0);
  const rows = await readRows(readModels, companyId, numbers);
  return numbers.flatMap((number, at) =>
    rows[at] === undefined ? [{ number, employeeId, name: `Employee ${number}`, hasLeft: true }] : [],
  );
}
