import type { ImportKind } from '@rollcall/contracts';
import type { FindNames, ReadModelReader } from '@rollcall/application';

/** Where the read models have a name for a number. */
const namesIn: Record<ImportKind, { readonly collection: string; readonly member: string }> = {
  employees: { collection: 'employees', member: 'EmployeeID' },
  managers: { collection: 'manager-users', member: 'Email' },
};

/** Finds names in the read models. */
export const findNames =
  (readModels: Pick<ReadModelReader, 'getMany'>): FindNames =>
  async (kind, companyId, numbers) => {
    const { collection, member } = namesIn[kind];
    const rows = await readModels.getMany(
      collection,
      numbers.map((number) => [companyId, number] as const),
    );
    return rows.flatMap((row) => (row === undefined ? [] : [textMember(row, member)]));
  };

function textMember(row: Uint8Array, member: string): string {
  const value = (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>)[member];
  if (typeof value !== 'string') throw new TypeError(`a row has no ${member}`);
  return value;
}
