import {
  invitationCollections,
  OpenInvitations,
  readPendingImports,
  type ReadModels,
} from '@rollcall/application';

export interface WaitingWork {
  readonly imports: number;
  /** Since it was queued; 0 where none waits. */
  readonly oldestImportMs: number;
  /** Since it was due, held ones excluded; 0 where none is. */
  readonly oldestInvitationMs: number;
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
