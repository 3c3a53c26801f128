import { mayBeDecidedAt, notBehindHolds, readPendingImports } from '../read-models/pending-imports.js';
import { invitationCollections } from '../invitations/documents.js';
import { OpenInvitations } from '../invitations/open-invitations.js';
import type { ReadModels } from '../ports/read-models.js';

export interface WaitingWork {
  readonly imports: number;
  /** Of these, held ones that somebody has to decide on. */
  readonly toApprove: number;
  /** Since it was queued, those behind a held one excluded; 0 where none waits. */
  readonly oldestImportMs: number;
  /** Since it was due, held ones excluded; 0 where none is. */
  readonly oldestInvitationMs: number;
  readonly held: readonly number[];
}

type Reader = Pick<ReadModels, 'find' | 'findByIndex' | 'getMany' | 'progress' | 'parkedStreams'>;

interface DueInvitations {
  /** The first of each company that is due (ms), unless its invitations are held. */
  readonly due: readonly { readonly companyId: number; readonly at: number }[];
  /** Companies that hold theirs. */
  readonly held: readonly number[];
}

/** `open` may be kept: it reads on from where it was. */
export async function dueInvitations(
  readModels: Reader,
  now: number,
  open = new OpenInvitations(),
): Promise<DueInvitations> {
  const held: number[] = [];
  for await (const { key } of readModels.find(invitationCollections.holds, { prefix: [] }))
    held.push(Number(key[0]));
  const due: { companyId: number; at: number }[] = [];
  for (const company of await open.companiesDue(readModels, now)) {
    const { companyId } = company;
    if (held.includes(companyId)) continue;
    for (const first of await company.due(readModels, { now, limit: 1 }))
      due.push({ companyId, at: first.due });
  }
  return { due, held };
}

export async function readWork(readModels: Reader, now: number): Promise<WaitingWork> {
  const pending = await readPendingImports(readModels);
  const { due, held } = await dueInvitations(readModels, now);
  const ages = (moments: readonly number[]): number =>
    moments.reduce((most, at) => Math.max(most, now - at), 0);
  return {
    imports: pending.length,
    toApprove: pending.filter((one) => mayBeDecidedAt(one, now)).length,
    oldestImportMs: ages(notBehindHolds(pending).map(({ queuedAt }) => Date.parse(queuedAt))),
    oldestInvitationMs: ages(due.map(({ at }) => at)),
    held,
  };
}
