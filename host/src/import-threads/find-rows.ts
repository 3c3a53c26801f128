import { type FindRows, readRows, type ReadModelReader, type ShownRow } from '@rollcall/application';

type Reader = Pick<ReadModelReader, 'get' | 'getMany'>;

export const findRows =
  (readModels: Reader): FindRows =>
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
