import { type FindRows, readRows, type ReadModelReader, type ShownRow } from '@rollcall/application';

export const findRows =
  (readModels: Pick<ReadModelReader, 'get' | 'getMany'>): FindRows =>
  async (kind, companyId, numbers) =>
    kind === 'employees'
      ? (await readRows(readModels, companyId, numbers)).map(parsed)
      : readModels.getMany(
          'manager-users',
          numbers.map((number) => [companyId, number] as const),
          parsed,
        );

const parsed = (row: Uint8Array | undefined): ShownRow | undefined =>
  row && (JSON.parse(Buffer.from(row).toString()) as ShownRow);
