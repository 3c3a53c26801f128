import { readRows, type FindNames, type ReadModelReader } from '@rollcall/application';

type Reader = Pick<ReadModelReader, 'get' | 'getMany'>;

/** Finds names in the read models. */
export const findNames =
  (readModels: Reader): FindNames =>
  async (kind, companyId, numbers) => {
    const rows =
      kind === 'employees'
        ? await readRows(readModels, companyId, numbers)
        : await readModels.getMany(
            'manager-users',
            numbers.map((number) => [companyId, number] as const),
          );
    const member = kind === 'employees' ? 'EmployeeID' : 'Email';
    return rows.flatMap((row) => (row === undefined ? [] : [textMember(row, member)]));
  };

function textMember(row: Uint8Array, member: string): string {
  const value = (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>)[member];
  if (typeof value !== 'string') throw new TypeError(`a row has no ${member}`);
  return value;
}
