import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  ensureWhole,
  openEventLog,
  openQueue,
  openReadModels,
  serverProbes,
  StoreDamaged,
  type Closable,
  type FoundServer,
  type ServerProbes,
  type StoreName,
} from '@rollcall/adapters';
import {
  eventsToEnd,
  LogRefused,
  within,
  type EventLog,
  type Queue,
  type ReadModels,
} from '@rollcall/application';
import type { CliIo } from '../cli-io.js';
import { causeText } from '../output.js';
import { isThere } from '../config.js';
import type { Configured } from './config.js';
import { green, red, type Check } from './check.js';

type Config = NonNullable<Configured['config']>;

export interface OpenedStores {
  readonly opened: Closable[];
  readonly say: (line: string) => void;
  log?: EventLog;
  readModels?: ReadModels;
  queue?: Queue;
  readonly found: Map<string, FoundServer>;
}

const LOOK_MS = 10_000;

interface Examined<T> {
  readonly name: string;
  readonly probe: (() => Promise<FoundServer>) | undefined;
  /** Undefined where it is embedded and not created yet. */
  readonly open: () => Promise<T | undefined>;
  readonly look: (store: T) => Promise<unknown>;
  readonly advice: string;
}

/** Identifies the server, opens the store as the processes do, and uses it once. */
async function examine<T extends Closable>(
  examined: Examined<T>,
  { opened, found: servers }: OpenedStores,
  answered: (store: T) => void,
): Promise<Check> {
  const { name, probe, open, look, advice } = examined;
  try {
    const found = await probe?.();
    if (found?.tooOld !== undefined)
      return red(name, `${found.name}: ${found.tooOld}`, 'Upgrade the server.');
    const store = await open();
    if (store === undefined) return green(name, 'embedded, not made yet');
    opened.push(store);
    await within(look(store), LOOK_MS);
    answered(store);
    if (found) servers.set(name, found);
    return green(name, found === undefined ? 'embedded, answers' : `${found.name} answers and lets us in`);
  } catch (error) {
    return red(name, causeText(error), adviceOn(error, advice));
  }
}

function adviceOn(error: unknown, advice: string): string {
  if (error instanceof LogRefused)
    return 'Mend that, or EVENTSTOREDB_URL: its address, user and certificates.';
  return error instanceof Error && error.cause instanceof StoreDamaged ? 'Do what it says.' : advice;
}

const awayAdvice = (variable: string): string =>
  `Start the server, or mend ${variable}: its address, user and certificates.`;
const embeddedAdvice = (folder: string): string =>
  `Look at ${folder}: its owner, its disk, and whether it was copied while a process wrote to it.`;

interface Opening<T> extends Pick<OpenedStores, 'say'> {
  readonly store: StoreName;
  readonly folder: string;
  readonly open: () => Promise<T>;
}

/** Finds damage in an embedded store's file before it could crash this process. */
async function ifThere<T>(
  adapters: Config['adapters'],
  { store, folder, open, say }: Opening<T>,
): Promise<T | undefined> {
  if (adapters[store].kind === 'embedded' && !isThere(folder)) return undefined;
  await ensureWhole(adapters, say, [store]);
  return open();
}

/** An append that never succeeds: the stream exists, and a missing right is reported first. */
async function mayAppend(log: EventLog): Promise<void> {
  if (log.probeAppend !== undefined) return log.probeAppend();
  if ((await log.readLast('installation')) === undefined) return;
  const nothing = { id: randomUUID(), type: 'doctor', contentType: 'json', data: Buffer.from('{}') } as const;
  await log.append('installation', 'no-stream', [{ ...nothing, metadata: Buffer.from('{}') }]);
}

/** Reads and follows; writes only to an existing installation. */
async function useLog(log: EventLog): Promise<void> {
  await mayAppend(log);
  const events = eventsToEnd(log, await log.lastPosition());
  await events.next();
  await events.return(undefined);
}

/** Checks event log, read models, queue and mail server; those that answer are in `stores` afterwards. */
export async function* storeChecks(io: CliIo, config: Config, stores: OpenedStores): AsyncIterable<Check> {
  const { adapters, mailer } = config;
  const probes = serverProbes(adapters, mailer, io.clock);
  yield await logCheck(config, probes, stores);
  yield await readModelsCheck(config, probes, stores);
  yield await queueCheck(config, probes, stores);
  if (probes.mailer) yield await mailerCheck(probes.mailer);
}

function logCheck(
  { adapters, logFolder }: Config,
  { eventLog }: ServerProbes,
  stores: OpenedStores,
): Promise<Check> {
  const name = 'event log';
  const isEmbedded = adapters.eventLog.kind === 'embedded';
  const open = (): Promise<EventLog | undefined> =>
    ifThere(adapters, {
      ...stores,
      store: 'eventLog',
      folder: logFolder,
      open: () => openEventLog(adapters),
    });
  const advice = isEmbedded ? embeddedAdvice(logFolder) : awayAdvice('EVENTSTOREDB_URL');
  return examine({ name, probe: eventLog, open, look: useLog, advice }, stores, (log) => {
    stores.log = log;
  });
}

function readModelsCheck(
  { adapters }: Config,
  { readModels: probe }: ServerProbes,
  stores: OpenedStores,
): Promise<Check> {
  const name = 'read models';
  const isEmbedded = adapters.readModels.kind === 'embedded';
  const folder = join(adapters.dataDir, 'read-models');
  const open = (): Promise<ReadModels | undefined> =>
    ifThere(adapters, { ...stores, store: 'readModels', folder, open: () => openReadModels(adapters) });
  const advice = isEmbedded ? embeddedAdvice(folder) : awayAdvice('MONGODB_URL');
  const look = (readModels: ReadModels): Promise<unknown> => readModels.generations();
  return examine({ name, probe, open, look, advice }, stores, (readModels) => {
    stores.readModels = readModels;
  });
}

function queueCheck(
  { adapters }: Config,
  { queue: probe }: ServerProbes,
  stores: OpenedStores,
): Promise<Check> {
  const name = 'queue';
  const isEmbedded = adapters.queue.kind === 'embedded';
  const folder = join(adapters.dataDir, 'queue');
  const open = (): Promise<Queue | undefined> =>
    isEmbedded && !isThere(folder) ? Promise.resolve(undefined) : openQueue(adapters);
  const advice = isEmbedded ? embeddedAdvice(folder) : awayAdvice('NATS_URL');
  const look = (queue: Queue): Promise<unknown> => queue.depth('imports');
  return examine({ name, probe, open, look, advice }, stores, (queue) => {
    stores.queue = queue;
  });
}

async function mailerCheck(probe: () => Promise<FoundServer>): Promise<Check> {
  try {
    await probe();
    return green('mail server', 'answers and lets us in');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return red('mail server', `it does not answer, or refuses us${code}`, awayAdvice('SMTP_URL'));
  }
}
