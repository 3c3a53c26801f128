import { invitationCollections, type ReadModelReader, type RowBatch } from '@rollcall/application';
import type { PageTexts } from '../http/json-array.js';

const { progress } = invitationCollections;
type Reader = Pick<ReadModelReader, 'find' | 'getMany'>;

/** Adds invitation dates to the elements of GET employees. Reads nothing where the company never invited an employee. */
export async function* withInvitationDates(
  readModels: Reader,
  companyId: number,
  batches: AsyncIterable<RowBatch>,
): AsyncGenerator<PageTexts> {
  const invited = await hasInvited(readModels, companyId);
  for await (const batch of batches) {
    const moments = invited ? await momentsOf(readModels, companyId, batch) : [];
    const ends = new Ends(companyId);
    const { length, numberAt, rowAt, dateAt } = batch;
    yield {
      length,
      idAt: (at) => `${numberAt(at)}`,
      jsonAt: rowAt,
      endAt: (at) => ends.of(dateAt(at), moments[at] ?? null),
    };
  }
}

async function hasInvited(readModels: Reader, companyId: number): Promise<boolean> {
  for await (const _ of readModels.find(progress, { prefix: [companyId], limit: 1 })) return true;
  return false;
}

function momentsOf(
  readModels: Reader,
  companyId: number,
  { length, numberAt }: RowBatch,
): Promise<readonly (string | undefined)[]> {
  const keys = Array.from({ length }, (_, at) => [companyId, numberAt(at)] as const);
  return readModels.getMany(progress, keys, firstSentAt);
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
class Ends {
  readonly #companyId: number;
  readonly #known = new Map<string | undefined, Map<string | null, Uint8Array>>();

  constructor(companyId: number) {
    this.#companyId = companyId;
  }

  of(InvitationDate: string | undefined, FirstInvitationDate: string | null): Uint8Array {
    const known = this.#known.get(InvitationDate) ?? new Map<string | null, Uint8Array>();
    this.#known.set(InvitationDate, known);
    const members = {
      InvitationDate,
      CompanyId: this.#companyId,
      SourcedFromExternalSystem: true,
      Locked: false,
      FirstInvitationDate,
    };
    const end = known.get(FirstInvitationDate) ?? Buffer.from(`,${JSON.stringify(members).slice(1)}`);
    known.set(FirstInvitationDate, end);
    return end;
  }
}
