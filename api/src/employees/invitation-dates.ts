import { asBuffer, invitationCollections, type ReadModelReader, type RowBatch } from '@rollcall/application';
import type { PageTexts } from '../http/json-array.js';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** Of the employees of a batch: where more were invited, looking each up is faster than finding them. */
const few = 1 / 4;

/** Adds invitation dates to the elements of GET employees. */
export async function* withInvitationDates(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<PageTexts> {
  const momentsOf = finding(readModels, companyId);
  for await (const batch of batches) {
    const momentAt = await momentsOf(batch);
    const endOf = endsOf(companyId);
    const { length, numberAt, rowAt, dateAt } = batch;
    const endAt = (at: number): Uint8Array => endOf(dateAt(at), momentAt(at) ?? null);
    yield { length, idAt: (at) => `${numberAt(at)}`, jsonAt: rowAt, endAt };
  }
}

/** For batch after batch: finds those who were invited, some further on at a time; looks each up once they are not few. */
function finding(readModels: Reader, companyId: number) {
  let moments = new Map<number, string | undefined>();
  let upTo = -1;
  let areFew = true;
  return async ({ length, numberAt }: RowBatch): Promise<(at: number) => string | undefined> => {
    const [before, last, limit] = [numberAt(0) - 1, numberAt(length - 1), Math.ceil(few * length)];
    if (areFew && upTo < last) {
      moments = new Map([...moments].filter(([number]) => number > before));
      const after = [companyId, Math.max(before, upTo)];
      let left = limit;
      for await (const { key, value } of readModels.find(progress, { prefix: [companyId], after, limit })) {
        upTo = Number(key[1]);
        moments.set(upTo, firstSentAt(value));
        left -= 1;
      }
      if (left > 0) upTo = Infinity;
      areFew = upTo >= last;
    }
    if (areFew) return (at) => moments.get(numberAt(at));
    const keys = Array.from({ length }, (_, at) => [companyId, numberAt(at)]);
    const each = await readModels.getMany(progress, keys, firstSentAt);
    return (at) => each[at];
  };
}

const member = Buffer.from('"firstSentAt":"');

/** Quotation marks within texts are escaped, so the member's name cannot occur elsewhere. */
function firstSentAt(document: Uint8Array | undefined): string | undefined {
  if (document === undefined) return undefined;
  const json = asBuffer(document);
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
