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
  readonly kind: string;
  /** Of an embedded store. */
  readonly folder: string;
  /** Holds the address of a server. */
  readonly variable: string;
  readonly probe: (() => Promise<FoundServer>) | undefined;
  readonly open: () => Promise<T>;
  readonly look: (store: T) => Promise<unknown>;
  readonly answered: (store: T) => void;
}

/** Identifies the server, opens the store as the processes do, and uses it once. */
async function examine<T extends Closable>(
  examined: Examined<T>,
  { opened, found: servers }: OpenedStores,
): Promise<Check> {
  const { name, probe, open, look, answered } = examined;
  try {
    const found = await probe?.();
    if (found?.tooOld !== undefined)
      return red(name, `${found.name}: ${found.tooOld}`, 'Upgrade the server.');
    if (isNotMade(examined)) return green(name, 'embedded, not made yet');
    const store = await open();
    opened.push(store);
    await within(look(store), LOOK_MS);
    answered(store);
    if (found) servers.set(name, found);
    return green(name, found === undefined ? 'embedded, answers' : `${found.name} answers and lets us in`);
  } catch (error) {
    return red(name, causeText(error), adviceOn(error, examined));
  }
}

type Whereabouts = Pick<Examined<never>, 'kind' | 'folder' | 'variable'>;

const isNotMade = ({ kind, folder }: Whereabouts): boolean => kind === 'embedded' && !isThere(folder);

function adviceOn(error: unknown, { kind, folder, variable }: Whereabouts): string {
  if (error instanceof LogRefused)
    return 'Mend that, or EVENTSTOREDB_URL: its address, user and certificates.';
  if (error instanceof Error && error.cause instanceof StoreDamaged) return 'Do what it says.';
  return kind === 'embedded'
    ? `Look at ${folder}: its owner, its disk, and whether it was copied while a process wrote to it.`
    : awayAdvice(variable);
}

const awayAdvice = (variable: string): string =>
  `Start the server, or mend ${variable}: its address, user and certificates.`;

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
  const { adapters, logFolder, mailer } = config;
  const probes = serverProbes(adapters, mailer, io.clock);
  // Damage in an embedded store's file could crash this process.
  const whole = <T>(store: StoreName, open: (config: Config['adapters']) => Promise<T>) => ({
    kind: adapters[store].kind,
    probe: probes[store],
    open: () => ensureWhole(adapters, stores.say, [store]).then(() => open(adapters)),
  });
  const log: Examined<EventLog> = {
    ...{ name: 'event log', folder: logFolder, variable: 'EVENTSTOREDB_URL', look: useLog },
    ...whole('eventLog', openEventLog),
    answered: (found) => void (stores.log = found),
  };
  const readModels: Examined<ReadModels> = {
    ...{ name: 'read models', folder: join(adapters.dataDir, 'read-models'), variable: 'MONGODB_URL' },
    ...whole('readModels', openReadModels),
    look: (found) => found.generations(),
    answered: (found) => void (stores.readModels = found),
  };
  const queue: Examined<Queue> = {
    ...{ name: 'queue', folder: join(adapters.dataDir, 'queue'), variable: 'NATS_URL' },
    ...{ kind: adapters.queue.kind, probe: probes.queue, open: () => openQueue(adapters) },
    look: (found) => found.depth('imports'),
    answered: (found) => void (stores.queue = found),
  };
  yield await examine(log, stores);
  yield await examine(readModels, stores);
  yield await examine(queue, stores);
  if (probes.mailer) yield await mailerCheck(probes.mailer);
}

async function mailerCheck(probe: () => Promise<FoundServer>): Promise<Check> {
  try {
    await probe();
    return green('mail server', 'answers and lets us in');
  } catch (error) {
    const { code, originalCode = code }: NodeJS.Dict<string> = Object.assign({}, error);
    const reason = originalCode === undefined ? '' : ` (${originalCode})`;
    return red('mail server', `it does not answer, or refuses us${reason}`, awayAdvice('SMTP_URL'));
  }
}
