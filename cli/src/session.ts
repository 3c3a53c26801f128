import {
  beginInstallation,
  beginUse,
  folderProblem,
  isInUse,
  withServersThere,
  leaveFolders,
} from '@rollcall/host';
import {
  type AdaptersConfig,
  makePrivateFolder,
  openEventLog,
  openLogStores,
  openStores,
  type LogStores,
  type Stores,
} from '@rollcall/adapters';
import {
  unlessCorrupt,
  onlyOwn,
  outageNotice,
  refuseUnfinishedImport,
  type DecideAndAppendDeps,
  type EventLog,
  type EventReader,
} from '@rollcall/application';

import type { CallContext } from '@rollcall/contracts';
import { cliUsername, type CliIo } from './cli-io.js';
import { isThere, readConfig, type CliConfig } from './config.js';
import { Refusal } from './refusal.js';

export interface Session extends DecideAndAppendDeps {
  readonly config: CliConfig;
  readonly io: CliIo;
  readonly snapshots: Stores['snapshots'];
  context(companyId: number | null, reason?: string): CallContext;
}

export interface StoresSession extends Session {
  /** Their documents are shown only while they are the log's own. */
  readonly readModels: Stores['readModels'];
}

export function contextFor(io: CliIo, companyId: number | null, reason?: string): CallContext {
  return {
    companyId,
    operationId: io.newId(),
    userId: null,
    username: cliUsername(),
    causationId: null,
    receivedAt: new Date(io.clock.now()).toISOString(),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Damage is left for each command to find. */
async function answers(log: EventReader): Promise<void> {
  await refuseUnfinishedImport(log);
  await unlessCorrupt(log.readLast('installation'));
}

export interface SessionOptions {
  /** Begins an installation if there is none; otherwise that is a refusal. */
  readonly create?: boolean;
  /** Reads embedded stores' files before opening: the command reads most of them anyway. */
  readonly readAll?: boolean;
}

/** Refuses a folder without data, unless `create`, and one on which nothing may run. */
export function requireData(
  { adapters, logFolder }: CliConfig,
  { create = false }: SessionOptions = {},
): void {
  const problem = folderProblem(adapters);
  if (problem !== undefined) throw new Refusal(`${problem}.`);
  if (!create && !isThere(logFolder))
    throw new Refusal(`There is no data in ${adapters.dataDir}: set DATA_DIR, or configure a company first.`);
}

/** Of a command that decides by the log alone, also while the read models are away. */
export const withSession = (io: CliIo, work: (session: Session) => Promise<void>): Promise<void> =>
  withOpened(io, {}, { open: openLogStores, begin: ({ log }) => answers(log), work });

export const withStores = (
  io: CliIo,
  work: (session: StoresSession) => Promise<void>,
  options: SessionOptions = {},
): Promise<void> =>
  withOpened(io, options, {
    open: openStores,
    begin: (stores, { keyFolder }) =>
      options.create === true
        ? beginInstallation({ ...stores, keyFolder, clock: io.clock })
        : answers(stores.log),
    work: (session, { readModels }) => work({ ...session, readModels: onlyOwn(readModels, session) }),
  });

async function using(
  io: CliIo,
  { adapters }: CliConfig,
  { readAll = false }: SessionOptions,
  work: (waiting: Parameters<typeof withServersThere>[2]) => Promise<void>,
): Promise<void> {
  const say = (line: string): void => io.err(`${line}\n`);
  const now = (): number => io.clock.now();
  const forgetSignals = leaveOnSignals();
  outageNotice.say = say;
  await beginUse(adapters, { say, readAll })
    .then((use) => work({ say, now, begun: now(), sleep: (ms) => io.sleep(ms) }).finally(() => use.close()))
    .finally(forgetSignals);
}

/** Creates a missing data folder; a refusal where another process uses it. */
export async function alone(io: CliIo, config: CliConfig, work: () => Promise<void>): Promise<void> {
  const { dataDir } = config.adapters;
  await makePrivateFolder(dataDir);
  await using(io, config, {}, async () => {
    if (await isInUse(dataDir)) throw new Refusal(`Other processes use ${dataDir}: stop them first.`);
    await work();
  });
}

/** The event log alone, whatever is in it; an embedded one is created. */
export const withBareLog = (
  io: CliIo,
  config: CliConfig,
  work: (log: EventLog) => Promise<void>,
): Promise<void> =>
  using(io, config, {}, async (waiting) => {
    const log = await openEventLog(config.adapters);
    try {
      await withServersThere(config.adapters, () => log.lastPosition(), waiting);
      await work(log);
    } finally {
      await log.close();
    }
  });

interface Opening<S extends LogStores> {
  readonly open: (config: AdaptersConfig) => Promise<S>;
  readonly begin: (stores: S, config: CliConfig) => Promise<unknown>;
  readonly work: (session: Session, stores: S) => Promise<void>;
}

async function withOpened<S extends LogStores>(
  io: CliIo,
  options: SessionOptions,
  { open, begin, work }: Opening<S>,
): Promise<void> {
  const config = readConfig(io.env);
  const { adapters } = config;
  if (adapters.eventLog.kind === 'embedded') requireData(config, options);
  await using(io, config, options, async (waiting) => {
    const stores = await withServersThere(adapters, () => open(adapters), waiting);
    const { log, snapshots } = stores;
    const context: Session['context'] = (...about) => contextFor(io, ...about);
    try {
      await withServersThere(adapters, () => begin(stores, config), waiting);
      await work({ config, io, log, snapshots, clock: io.clock, context }, stores);
    } finally {
      await stores.close();
    }
  });
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** An interrupted command removes its in-use mark: it has not crashed. */
function leaveOnSignals(): () => void {
  const leave = (signal: NodeJS.Signals): void => {
    forget();
    leaveFolders();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of signals) process.removeListener(signal, leave);
  };
  for (const signal of signals) process.on(signal, leave);
  return forget;
}
