import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStores, type Stores } from '@rollcall/adapters';
import { invitationCollections, type ProgressDocument } from '@rollcall/application';

import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { generatedEmployees } from '../generators/employees.js';
import { until } from '../support/until.js';
import { call } from './http-client.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const mailEntry = fileURLToPath(new URL('mail-entry.js', import.meta.url));
/** One after the other, in the same process: it sends the first ones with code that has not run before. */
const companies = [1, 2] as const;

/** Enough for the list to be in place before the hour. */
const leadMs = 5_000;
const leadForEachMs = 1;

export interface InvitationResult {
  readonly mailer: 'outbox' | 'SMTP server';
  /** Whether its process has sent as many before. */
  readonly isAgain: boolean;
  /** From the due moment to the last mail. */
  readonly perSecond: number;
  /** Milliseconds from the due moment to the answer of the mail server. */
  readonly median: number;
  readonly p99: number;
  readonly last: number;
}

/** So many invitations that are due at once, as fast as one process sends them, twice: into the outbox and to a local SMTP server. */
export async function measureInvitations(parent: string, count: number): Promise<InvitationResult[]> {
  const mail = fork(mailEntry);
  try {
    const [url] = (await once(mail, 'message')) as [string];
    return [
      ...(await measure(parent, count, { mailer: 'outbox', env: { MAILER: 'file' } })),
      ...(await measure(parent, count, { mailer: 'SMTP server', env: smtp(url) })),
    ];
  } finally {
    mail.kill();
  }
}

const smtp = (url: string): Record<string, string> => ({
  MAILER: 'smtp',
  SMTP_URL: url,
  INVITATION_SENDER: 'surveys@example.com',
  INVITATION_URL: 'https://surveys.example.com/',
});

async function measure(
  parent: string,
  count: number,
  { mailer, env }: { mailer: InvitationResult['mailer']; env: Record<string, string> },
): Promise<InvitationResult[]> {
  const dataDir = await mkdtemp(join(parent, 'invitations-'));
  const tokens = await prepareDataDir(dataDir, companies);
  const server = await startChildServer({ dataDir, env: { ...env, INVITATION_RATE: '100000' } });
  const results: InvitationResult[] = [];
  try {
    for (const [index, companyId] of companies.entries()) {
      const url = `${server.url}/v1.0/Company/${companyId}/Employee`;
      const due = await putDue({ url, token: tokens[index] ?? '' }, count);
      const delays = (await sentMoments(dataDir, companyId, count))
        .map((at) => at - due)
        .sort((one, other) => one - other);
      const at = (share: number): number => delays[Math.floor((delays.length - 1) * share)] ?? 0;
      const times = { median: at(0.5), p99: at(0.99), last: at(1) };
      results.push({ mailer, isAgain: index > 0, perSecond: (count / at(1)) * 1_000, ...times });
    }
    return results;
  } finally {
    await server.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A first list whose invitations are all due at one moment, which it resolves with. */
async function putDue(to: { readonly url: string; readonly token: string }, count: number): Promise<number> {
  const due = Math.ceil((Date.now() + leadMs + count * leadForEachMs) / 1_000) * 1_000;
  const InvitationDate = new Date(due).toISOString();
  const list = generatedEmployees(count).map((each, index) => ({
    ...each,
    Email: `e-${index}@example.com`,
    InvitationDate,
  }));
  const { status, text } = await call({ ...to, method: 'PUT', body: Buffer.from(JSON.stringify(list)) });
  if (status !== 200 || Date.now() > due)
    throw new Error(`The list was not in place in time: ${status} ${text}`);
  return due;
}

/** Waits until all are sent; when each was. */
async function sentMoments(dataDir: string, companyId: number, count: number): Promise<number[]> {
  const stores = await openStores(embeddedAdapters(dataDir));
  try {
    const look = async (): Promise<number[] | undefined> => {
      const moments = await momentsIn(stores, companyId);
      return moments.length >= count ? moments : undefined;
    };
    return await until('all are sent', look, { withinMs: 3_600_000, everyMs: 1_000 });
  } finally {
    await stores.close();
  }
}

async function momentsIn({ readModels }: Stores, companyId: number): Promise<number[]> {
  const moments: number[] = [];
  for await (const { value } of readModels.find(invitationCollections.progress, { prefix: [companyId] })) {
    const { state, sentAt } = JSON.parse(Buffer.from(value).toString()) as ProgressDocument;
    if (state === 'failed') throw new Error('An invitation failed for good');
    if (sentAt !== null) moments.push(Date.parse(sentAt));
  }
  return moments;
}
