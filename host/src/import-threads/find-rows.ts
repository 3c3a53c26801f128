import { type FindRows, readRows, type ReadModelReader, ReadModelWait } from '@rollcall/application';

type Reader = Pick<ReadModelReader, 'get' | 'getMany' | 'reached'>;

export const findRows =
  (readModels: Reader, wait = new ReadModelWait(readModels)): FindRows =>
  async (kind, companyId, numbers, revision = null) => {
    if (revision !== null) await wait.until({ stream: `company-${companyId}`, revision, bytes: 0 });
    return kind === 'employees'
      ? (await readRows(readModels, companyId, numbers)).map(parsed)
      : readModels.getMany(
          'manager-users',
          numbers.map((number) => [companyId, number] as const),
          parsed,
        );
  };

const parsed = (row: Uint8Array | undefined): Record<string, unknown> | undefined =>
  row && (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>);
