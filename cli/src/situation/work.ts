import { invitationCollections, readPendingImports, type ReadModels } from '@rollcall/application';

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

type Reader = Pick<ReadModels, 'find'>;

export async function readWork(readModels: Reader, now: number): Promise<WaitingWork> {
  const pending = await readPendingImports(readModels);
  const held = await idsIn(readModels, invitationCollections.holds);
  const invited = (await idsIn(readModels, 'companies')).filter((companyId) => !held.includes(companyId));
  const due = await Promise.all(invited.map((companyId) => firstDue(readModels, companyId)));
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

/** The moment (ms) at which the company's next invitation is to be looked at; it may lie ahead. */
async function firstDue(readModels: Reader, companyId: number): Promise<number | undefined> {
  const options = { prefix: [companyId], limit: 1 };
  for await (const { key } of readModels.find(invitationCollections.due, options)) return Number(key[1]);
  return undefined;
}
