import { invitationCollections, type ReadModelReader, type StoredDocument } from '@rollcall/application';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** What rows end with as they are stored: the moment of the first mail stands elsewhere. */
const noInvitation = Buffer.from('"FirstInvitationDate":null}');
const openMoment = Buffer.from('"FirstInvitationDate":"');
const closeMoment = Buffer.from('"}');
const idStart = '{"Id":'.length;
const idDigits = 16;

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
  const rows = batch.map(({ key, json }) => ({ key, json: Buffer.from(json) }));
  const keys = rows.map(({ json }) => [companyId, numberOf(json)] as const);
  const found = await readModels.getMany(progress, keys);
  return rows.map((row, at) => ({ ...row, json: withMoment(row.json, momentIn(found[at])) }));
}

const numberOf = (json: Uint8Array): number =>
  Number.parseInt(Buffer.from(json.subarray(idStart, idStart + idDigits)).toString('latin1'), 10);

function momentIn(json: Uint8Array | undefined): string | undefined {
  if (json === undefined) return undefined;
  const document: unknown = JSON.parse(Buffer.from(json).toString());
  const isWanted = typeof document === 'object' && document !== null && 'firstSentAt' in document;
  return isWanted && typeof document.firstSentAt === 'string' ? document.firstSentAt : undefined;
}

function withMoment(json: Uint8Array, moment: string | undefined): Uint8Array {
  const start = json.byteLength - noInvitation.byteLength;
  if (moment === undefined || Buffer.compare(json.subarray(start), noInvitation) !== 0) return json;
  return Buffer.concat([json.subarray(0, start), openMoment, Buffer.from(moment), closeMoment]);
}
