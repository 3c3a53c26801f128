import {
  invitationCollections,
  OpenInvitations,
  readPendingImports,
  type ReadModels,
} from '@rollcall/application';

/** What waits for a worker, as far as it is projected. */
export interface WaitingWork {
  readonly imports: number;
  /** For how long the oldest of them has been queued (ms); 0 where none is. */
  readonly oldestImportMs: number;
  /** For how long the oldest invitation that is not held has been due (ms); 0 where none is. */
  readonly oldestInvitationMs: number;
  /** Companies whose invitations are held. */
  readonly held: readonly number[];
}

type Reader = Pick<ReadModels, 'find' | 'findByIndex' | 'getMany'>;

export async function readWork(readModels: Reader, now: number): Promise<WaitingWork> {
  const pending = await readPendingImports(readModels);
  const held = await idsIn(readModels, invitationCollections.holds);
  const invited = (await idsIn(readModels, 'companies')).filter((companyId) => !held.includes(companyId));
  const due = await Promise.all(invited.map((companyId) => firstDue(readModels, companyId, now)));
  const ages = (moments: readonly number[]): number =>
    moments.reduce((most, at) => Math.max(most, now - at), 0);
  return {
    imports: pending.length,
    oldestImportMs: ages(pending.map(({ queuedAt }) => Date.parse(queuedAt))),
    oldestInvitationMs: ages(due.flatMap((at) => at ?? [])),
    held,
  };
}

async function idsIn(readModels: Reader, collection: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { key } of readModels.find(collection, { prefix: [] })) found.push(Number(key[0]));
  return found;
}

/** The moment (ms) since which the oldest of the company's invitations is due; undefined where none is. */
async function firstDue(readModels: Reader, companyId: number, now: number): Promise<number | undefined> {
  const [first] = await new OpenInvitations(companyId).due(readModels, { now, limit: 1 });
  return first?.due;
}
