import { type EmployeeRow, invitationCollections, type ReadModelReader } from '@rollcall/application';
import type { PageRow } from '../http/pages.js';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** Elements of GET employees, whole with their `FirstInvitationDate`. Nothing is looked up where the company never invited anybody. */
export async function* withFirstInvitations(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<readonly EmployeeRow[]>,
): AsyncGenerator<readonly PageRow[]> {
  const invited = await hasInvited(readModels, companyId);
  const neverInvited = endWith(companyId, null);
  for await (const batch of batches)
    yield invited
      ? await joined(readModels, companyId, batch)
      : batch.map(({ employeeId, row }) => ({ id: employeeId, json: row, end: neverInvited }));
}

async function hasInvited(readModels: Reader, companyId: number): Promise<boolean> {
  for await (const _ of readModels.find(progress, { prefix: [companyId], limit: 1 })) return true;
  return false;
}

async function joined(
  readModels: Reader,
  companyId: number,
  batch: readonly EmployeeRow[],
): Promise<readonly PageRow[]> {
  const keys = batch.map(({ number }) => [companyId, number] as const);
  const moments = await readModels.getMany(progress, keys, firstSentAt);
  const ends = new Map<string | null, Uint8Array>();
  return batch.map(({ employeeId, row }, at) => {
    const moment = moments[at] ?? null;
    const end = ends.get(moment) ?? endWith(companyId, moment);
    // Many are invited in the same second.
    ends.set(moment, end);
    return { id: employeeId, json: row, end };
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
