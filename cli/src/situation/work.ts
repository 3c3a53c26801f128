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

type Reader = Pick<ReadModels, 'find' | 'findByIndex' | 'getMany' | 'progress' | 'parkedStreams'>;

export async function readWork(readModels: Reader, now: number): Promise<WaitingWork> {
  const pending = await readPendingImports(readModels);
  const held: number[] = [];
  for await (const { key } of readModels.find(invitationCollections.holds, { prefix: [] }))
    held.push(Number(key[0]));
  const due: number[] = [];
  for (const open of await new OpenInvitations().companiesDue(readModels, now)) {
    if (held.includes(open.companyId)) continue;
    for (const first of await open.due(readModels, { now, limit: 1 })) due.push(first.due);
  }
  const ages = (moments: readonly number[]): number =>
    moments.reduce((most, at) => Math.max(most, now - at), 0);
  return {
    imports: pending.length,
    oldestImportMs: ages(pending.map(({ queuedAt }) => Date.parse(queuedAt))),
    oldestInvitationMs: ages(due),
    held,
  };
}
