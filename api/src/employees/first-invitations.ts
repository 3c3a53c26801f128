import { invitationCollections, type ReadModelReader, type StoredDocument } from '@rollcall/application';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** Rows of employees with their `FirstInvitationDate`. Nothing is looked up where the company never invited anybody. */
export async function* withFirstInvitations(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<readonly StoredDocument[]>,
): AsyncGenerator<readonly StoredDocument[]> {
  if (!(await hasInvited(readModels, companyId))) {
    yield* batches;
    return;
  }
  for await (const batch of batches) yield await joined(readModels, companyId, batch);
}

async function hasInvited(readModels: Reader, companyId: number): Promise<boolean> {
  for await (const _ of readModels.find(progress, { prefix: [companyId], limit: 1 })) return true;
  return false;
}

async function joined(
  readModels: Reader,
  companyId: number,
  batch: readonly StoredDocument[],
): Promise<readonly StoredDocument[]> {
  // Their bytes are valid until the next await.
  const rows = batch.map(({ key, json }) => ({ key, row: parsed(json) }));
  const found = await readModels.getMany(
    progress,
    rows.map(({ row }) => [companyId, Number(row['Id'])]),
  );
  return rows.map(({ key, row }, at) => {
    const { firstSentAt } = parsed(found[at]);
    if (typeof firstSentAt === 'string') row['FirstInvitationDate'] = firstSentAt;
    return { key, json: Buffer.from(JSON.stringify(row)) };
  });
}

function parsed(json: Uint8Array | undefined): Record<string, unknown> {
  const document: unknown = json === undefined ? {} : JSON.parse(Buffer.from(json).toString());
  return typeof document === 'object' && document !== null ? { ...document } : {};
}
