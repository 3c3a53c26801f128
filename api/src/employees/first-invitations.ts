import { invitationCollections, type ReadModelReader, type RowBatch } from '@rollcall/application';
import type { PageTexts } from '../http/pages.js';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** Elements of GET employees, whole with their `FirstInvitationDate`. Nothing is looked up where the company never invited anybody. */
export async function* withFirstInvitations(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<PageTexts> {
  const invited = await hasInvited(readModels, companyId);
  const neverInvited = endWith(companyId, null);
  for await (const batch of batches) {
    const ends = invited ? await endsOf(readModels, companyId, batch) : [];
    const { length, idAt, rowAt } = batch;
    yield { length, idAt, jsonAt: rowAt, endAt: (at) => ends[at] ?? neverInvited };
  }
}

async function hasInvited(readModels: Reader, companyId: number): Promise<boolean> {
  for await (const _ of readModels.find(progress, { prefix: [companyId], limit: 1 })) return true;
  return false;
}

async function endsOf(
  readModels: Reader,
  companyId: number,
  { length, numberAt }: RowBatch,
): Promise<readonly Uint8Array[]> {
  const keys = Array.from({ length }, (_, at) => [companyId, numberAt(at)] as const);
  const moments = await readModels.getMany(progress, keys, firstSentAt);
  const ends = new Map<string | null, Uint8Array>();
  return moments.map((found) => {
    const moment = found ?? null;
    const end = ends.get(moment) ?? endWith(companyId, moment);
    // Many are invited in the same second.
    ends.set(moment, end);
    return end;
  });
}

const member = Buffer.from('"firstSentAt":"');

/** Within texts a quotation mark has a backslash before it: the member's name stands nowhere else. */
function firstSentAt(document: Uint8Array | undefined): string | undefined {
  if (document === undefined) return undefined;
  const json = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const name = json.indexOf(member);
  const start = name + member.length;
  return name < 0 ? undefined : json.toString('latin1', start, json.indexOf('"', start));
}

/** What rows do not hold: what is the same of all employees of a company, and what another stream tells. */
function endWith(CompanyId: number, FirstInvitationDate: string | null): Uint8Array {
  const members = { CompanyId, SourcedFromExternalSystem: true, Locked: false, FirstInvitationDate };
  return Buffer.from(`,${JSON.stringify(members).slice(1)}`);
}
