import { OpenInvitations, type ReadModelReader } from '@rollcall/application';

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
