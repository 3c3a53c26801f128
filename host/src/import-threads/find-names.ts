import { readRows, type FindNames, type ReadModelReader } from '@rollcall/application';

type Reader = Pick<ReadModelReader, 'get' | 'getMany'>;

export const findNames =
  (readModels: Reader): FindNames =>
  async (kind, companyId, numbers) => {
    const names =
      kind === 'employees'
        ? (await readRows(readModels, companyId, numbers)).map((row) => textMember(row, 'EmployeeID'))
        : await readModels.getMany(
            'manager-users',
            numbers.map((number) => [companyId, number] as const),
            (row) => textMember(row, 'Email'),
          );
    return names.filter((name) => name !== undefined);
  };

function textMember(row: Uint8Array | undefined, member: string): string | undefined {
  if (row === undefined) return undefined;
  const value = (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>)[member];
  if (typeof value !== 'string') throw new TypeError(`a row has no ${member}`);
  return value;
}
