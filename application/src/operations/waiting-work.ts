import { setImmediate } from 'node:timers/promises';
import { mayBeDecidedAt, notBehindHolds, readPendingImports } from '../read-models/pending-imports.js';
import { invitationCollections } from '../invitations/documents.js';
import { OpenInvitations, type OpenReader } from '../invitations/open-invitations.js';

export type WaitingWork = Awaited<ReturnType<typeof readWork>>;

/** Companies that may have one due, unless they hold theirs. */
export async function companiesToSend(readModels: OpenReader, now: number, open: OpenInvitations) {
  const held = new Set<number>();
  for await (const { key } of readModels.find(invitationCollections.holds, { prefix: [] }))
    held.add(Number(key[0]));
  const companies = await open.companiesDue(readModels, now);
  return { companies: companies.filter(({ companyId }) => !held.has(companyId)), held: [...held] };
}

/** The first (ms) that was due at `upTo` of each company, or of `only`, held or not. `open` is kept, for one look at a time: it reads on. */
export async function dueInvitations(reader: OpenReader, upTo: number, open: OpenInvitations, only?: number) {
  const due: { companyId: number; at: number }[] = [];
  const all = async () => (await companiesToSend(reader, upTo, open)).companies;
  const companies = only === undefined ? await all() : [await open.ofCompany(reader, only)];
  for (const company of companies) {
    for (const first of await company.due(reader, { now: upTo, limit: 1 }))
      due.push({ companyId: company.companyId, at: first.due });
    await setImmediate();
  }
  return due;
}

/** `open`: as saved; without, every plan is read. */
export async function readWork(readModels: OpenReader, now: number, open = new OpenInvitations(Infinity)) {
  const pending = await readPendingImports(readModels);
  const { companies, held } = await companiesToSend(readModels, now, open);
  let oldest = companies.reduce((first, { begun }) => Math.min(first, begun), now);
  for (const company of companies.toSorted((one, other) => one.earliest - other.earliest))
    if (company.earliest < oldest)
      for (const { due } of await company.due(readModels, { now, limit: 1 })) oldest = Math.min(oldest, due);
  return {
    imports: pending.length,
    /** Of these, held ones that somebody has to decide on. */
    toApprove: pending.filter((one) => mayBeDecidedAt(one, now)).length,
    /** Since it was queued, those behind a held one excluded; 0 where none waits. */
    oldestImportMs: notBehindHolds(pending).reduce(
      (most, { queuedAt }) => Math.max(most, now - Date.parse(queuedAt)),
      0,
    ),
    /** Since it was due, held ones excluded; 0 where none is. */
    oldestInvitationMs: now - oldest,
    held,
  };
}
