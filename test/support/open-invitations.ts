import type { Adapters } from '@rollcall/adapters';
import {
  InvitationsSnapshot,
  OpenInvitations,
  type ReadModelReader,
  SAVE_INVITATIONS_MS,
} from '@rollcall/application';

type Reader = Pick<ReadModelReader, 'find' | 'findByIndex' | 'getMany' | 'progress' | 'parkedStreams'>;

/** The invitations of all companies that are open, due or not, with the moments (ms) at which they are. */
export async function openInvitations(
  readModels: Reader,
  open = new OpenInvitations(),
  { now = Number.MAX_SAFE_INTEGER, limit = 1_000 } = {},
): Promise<readonly { readonly number: number; readonly due: number }[]> {
  const companies = await open.companiesDue(readModels, now);
  const due = await Promise.all(companies.map((company) => company.due(readModels, { now, limit })));
  return due.flat();
}

/** As a worker saves what it knows; the position up to which it has read plans. */
export async function saveOpenInvitations({ log, snapshots, readModels }: SavingStores): Promise<number> {
  let now = 0;
  const snapshot = new InvitationsSnapshot({ log, snapshots, readModels, clock: { now: () => now } });
  const open = new OpenInvitations();
  await open.companiesDue(readModels, 0);
  now = SAVE_INVITATIONS_MS;
  await snapshot.save(open);
  return open.saved.readTo;
}

type SavingStores = Pick<Adapters, 'log' | 'snapshots' | 'readModels'>;
