import { invitationCollections, type ReadModelReader, type RowBatch } from '@rollcall/application';
import type { PageTexts } from '../http/json-array.js';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'findBatches' | 'getMany'>;

/** Of the employees of a batch: where more were invited, looking each up is faster than finding them. */
const few = 1 / 4;

type MomentAt = (at: number) => string | undefined;

/** Adds invitation dates to the elements of GET employees. */
export async function* withInvitationDates(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<PageTexts> {
  const ofFew = async ({ length, numberAt }: RowBatch): Promise<MomentAt | undefined> => {
    const after = [companyId, numberAt(0) - 1];
    const to = [companyId, numberAt(length - 1) + 1];
    const wanted = { prefix: [companyId], after, to, limit: Math.ceil(few * length) };
    const moments = new Map<number, string | undefined>();
    for await (const found of readModels.findBatches(progress, wanted))
      for (const { key, value } of found) moments.set(Number(key[1]), firstSentAt(value));
    return moments.size < wanted.limit ? (at) => moments.get(numberAt(at)) : undefined;
  };
  const ofEach = async ({ length, numberAt }: RowBatch): Promise<MomentAt> => {
    const keys = Array.from({ length }, (_, at) => [companyId, numberAt(at)]);
    const moments = await readModels.getMany(progress, keys, firstSentAt);
    return (at) => moments[at];
  };
  let areFew = true;
  for await (const batch of batches) {
    const { length, numberAt, rowAt, dateAt } = batch;
    const found: MomentAt | undefined = areFew ? await ofFew(batch) : undefined;
    areFew = found !== undefined;
    const momentAt = found ?? (await ofEach(batch));
    const endOf = endsOf(companyId);
    const endAt = (at: number): Uint8Array => endOf(dateAt(at), momentAt(at) ?? null);
    yield { length, idAt: (at) => `${numberAt(at)}`, jsonAt: rowAt, endAt };
  }
}

const member = Buffer.from('"firstSentAt":"');

/** Quotation marks within texts are escaped, so the member's name cannot occur elsewhere. */
function firstSentAt(document: Uint8Array | undefined): string | undefined {
  if (document === undefined) return undefined;
  const json = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const name = json.indexOf(member);
  const start = name + member.length;
  return name < 0 ? undefined : json.toString('latin1', start, json.indexOf('"', start));
}

/** Caches the ends of elements: both dates and the company's common members. Many employees have the same dates. */
function endsOf(companyId: number) {
  const common = { CompanyId: companyId, SourcedFromExternalSystem: true, Locked: false };
  const ends = new Map<string | undefined, Map<string | null, Uint8Array>>();
  return (InvitationDate: string | undefined, FirstInvitationDate: string | null): Uint8Array => {
    const known = ends.get(InvitationDate) ?? new Map<string | null, Uint8Array>();
    const end = known.get(FirstInvitationDate);
    if (end !== undefined) return end;
    const members = JSON.stringify({ InvitationDate, ...common, FirstInvitationDate });
    const made = Buffer.from(`,${members.slice(1)}`);
    ends.set(InvitationDate, known.set(FirstInvitationDate, made));
    return made;
  };
}
