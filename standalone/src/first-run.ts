import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addApiUser,
  configureCompany,
  isLogUsed,
  issueToken,
  loadEvent,
  readApiUsers,
  type Clock,
  type EventLog,
  newId,
  systemUsername,
} from '@rollcall/application';
import { createOnce, createSigningKey, insteadOf, tokenSigner } from '@rollcall/adapters';

import type { CallContext, CompanySettings } from '@rollcall/contracts';

export const demoCompanyId = 1;
const demoUserName = 'Demo HR system';
const tokenLifetimeSeconds = 365 * 24 * 60 * 60;

const demoSettings: Partial<CompanySettings> = {
  name: 'Demo',
  timeZone: 'Europe/Copenhagen',
  integrationEnabled: true,
  departmentDimensions: ['Department'],
  divisionDimensions: ['Division'],
  projectDimensions: ['Project'],
  languages: [
    { id: 1045, label: 'English', code: 'en' },
    { id: 1041, label: 'Danish', code: 'da' },
  ],
  batchLimit: 25,
};

interface FirstRun {
  readonly dataDir: string;
  readonly keys: { readonly publicFolder: string; readonly privateFile: string };
  readonly issuer: string;
  readonly audience: string;
  readonly log: EventLog;
  readonly clock: Clock;
}

export const tokenFile = (dataDir: string): string => join(dataDir, 'demo-token');

/** The first run's operation and start; written first, deleted last. */
interface Beginning {
  readonly operationId: string;
  readonly receivedAt: string;
}

const beginningFile = (dataDir: string): string => join(dataDir, 'first-run.json');

function parseBeginning(text: string): Beginning {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'operationId' in value && 'receivedAt' in value) {
    const { operationId, receivedAt } = value;
    if (typeof operationId === 'string' && typeof receivedAt === 'string') return { operationId, receivedAt };
  }
  throw new TypeError('first-run.json has another shape');
}

const readBeginning = (dataDir: string): Promise<Beginning | undefined> =>
  readFile(beginningFile(dataDir), 'utf8').then(parseBeginning, insteadOf('ENOENT', undefined));

/** The unfinished first run, or a new one in an empty log; otherwise undefined. */
async function begin({ dataDir, log, clock }: FirstRun): Promise<Beginning | undefined> {
  const begun = await readBeginning(dataDir);
  if (begun || (await isLogUsed(log))) return begun;
  const beginning = { operationId: newId(), receivedAt: new Date(clock.now()).toISOString() };
  const isMine = await createOnce(beginningFile(dataDir), JSON.stringify(beginning), 0o600);
  if (!isMine || !(await isLogUsed(log))) return readBeginning(dataDir);
  // Another process finished it after the log was found empty.
  await rm(beginningFile(dataDir), { force: true });
  return undefined;
}

async function demoUserId(run: FirstRun, context: CallContext): Promise<number> {
  const { users } = await readApiUsers(run);
  const known = [...users.values()].find(({ companyId }) => companyId === demoCompanyId);
  if (known) return known.userId;
  const command = { companyId: demoCompanyId, name: demoUserName, roles: ['HRIntegration'] as const };
  const outcome = await addApiUser(run, context, command);
  if (outcome.kind === 'refused')
    throw new TypeError(`The demo user was refused: ${outcome.rejection.reason}`);
  return outcome.user.userId;
}

async function timeOfAdding(log: EventLog, userId: number): Promise<number> {
  for await (const recorded of log.readStream('api-users')) {
    const event = loadEvent(log, recorded);
    if (event.name === 'ApiUserCreated' && (await event.data('ApiUserCreated')).userId === userId)
      return Date.parse(event.metadata.recordedAt);
  }
  throw new TypeError('The demo user is not in the log.');
}

async function demoToken(run: FirstRun, context: CallContext): Promise<string> {
  const signer = tokenSigner(await createSigningKey(run.keys));
  const userId = await demoUserId(run, context);
  const { issuer, audience, log } = run;
  // Clock and id come from the log: a second attempt signs the same token.
  const addedAt = await timeOfAdding(log, userId);
  const clock: Clock = { now: () => addedAt };
  const request = {
    userId,
    signer,
    issuer,
    audience,
    lifetime: tokenLifetimeSeconds,
    jti: context.operationId,
  };
  const outcome = await issueToken({ log, clock }, context, request);
  if (outcome.kind === 'refused')
    throw new TypeError(`The demo token was refused: ${outcome.rejection.reason}`);
  return outcome.token;
}

/** Creates company "Demo", an API user and `demo-token` in an empty log. A start after a crash completes it. */
export async function createDemo(run: FirstRun): Promise<void> {
  const beginning = await begin(run);
  if (!beginning) return;
  const context: CallContext = {
    ...beginning,
    companyId: demoCompanyId,
    userId: null,
    username: systemUsername('first-run'),
    causationId: null,
  };
  const configured = await configureCompany(run, context, {
    companyId: demoCompanyId,
    changes: demoSettings,
  });
  if (configured.kind === 'refused') throw new TypeError('The demo company was refused.');
  await createOnce(tokenFile(run.dataDir), `${await demoToken(run, context)}\n`, 0o600);
  await rm(beginningFile(run.dataDir), { force: true });
}
