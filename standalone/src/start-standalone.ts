import {
  keyPlaces,
  openAdapters,
  openImports,
  openInParts,
  openInstallation,
  queueProblems,
  serveOperations,
  withLogThere,
  type Adapters,
  type Closable,
  type Installation,
  type Logger,
} from '@rollcall/adapters';
import { systemClock, within } from '@rollcall/application';
import { startApi } from '@rollcall/api';
import { invitationReport, startWorker } from '@rollcall/worker';

import type { StandaloneConfig } from './config.js';
import { createDemo } from './first-run.js';
import { startInvitationsThread, startProjectorThread } from './start-threads.js';
import { upToDate } from './up-to-date.js';

export interface RunningStandalone extends Closable {
  readonly address: string;
}

/** A start tells its address when calls find a thread, and no later than this where none answers. */
const longestSilenceMs = 10_000;

/**
 * The whole service in one process on the embedded adapters. Closing it answers the calls under way and ends the imports
 * that run, then ends everything.
 */
export const startStandalone = (config: StandaloneConfig, logger: Logger): Promise<RunningStandalone> =>
  openInParts(async (opened) => {
    const installation = await openInstallation(config, openAdapters, opened);
    const { adapters, damage, keys, metrics, writes, tracing } = installation;
    await patiently(config, () => firstRun(config, installation));
    const { adapters: adaptersConfig, logLevel, concurrency, tracing: tracingConfig } = config;
    const thread = { adapters: adaptersConfig, digestKey: keys.digestKey, logLevel, tracing: tracingConfig };
    opened(startProjectorThread(thread));
    await patiently(config, () => upToDate(adapters));
    const imports = opened(openImports(config, installation, { accepts: true, runThreads: concurrency }));
    const api = await startApi({ config, adapters, imports, logger, metrics, writes, damage, tracing });
    const worker = startWorker({ adapters, runner: imports, concurrency, logger, metrics, tracing });
    const invitations = startInvitationsThread(
      { config: invitationsConfig(config), digestKey: keys.digestKey, logLevel, tracing: tracingConfig },
      invitationReport({ metrics, writes, config }),
    );
    opened(together(api, worker, invitations));
    const problems = async () => [...(await api.problems()), ...(await queueProblems(adapters))];
    await serveOperations(config, metrics, { opened, problems });
    await within(imports.tried(), longestSilenceMs).catch(() => undefined);
    return { address: api.address };
  });

/** What the thread needs of it: the whole holds more than can be handed over. */
const invitationsConfig = ({ adapters, ownKeyFolder, invitations }: StandaloneConfig) => ({
  adapters,
  ownKeyFolder,
  invitations,
});

const patiently = <T>({ adapters }: StandaloneConfig, work: () => Promise<T>): Promise<T> =>
  withLogThere(adapters, work, { say: (line) => void process.stderr.write(line) });

const firstRun = (config: StandaloneConfig, { adapters }: Installation<Adapters>): Promise<void> =>
  createDemo({
    dataDir: config.adapters.dataDir,
    keys: {
      publicFolder: config.publicKeyFolder,
      privateFile: keyPlaces(config.adapters.dataDir).privateFile,
    },
    issuer: config.api.jwtIssuer,
    audience: config.api.jwtAudience,
    log: adapters.log,
    clock: systemClock,
  });

/** Neither waits for the other to end. */
const together = (...parts: readonly Closable[]): Closable => ({
  close: async () => {
    await Promise.all(parts.map((part) => part.close()));
  },
});
