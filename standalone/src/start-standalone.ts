import {
  keyPaths,
  openAdapters,
  openInParts,
  together,
  type Adapters,
  type Stores,
} from '@rollcall/adapters';
import {
  openImports,
  openInstallation,
  queueProblems,
  withServersThere,
  type Installation,
  type Logger,
} from '@rollcall/host';
import { lastProjected, systemClock, within } from '@rollcall/application';
import { startApi } from '@rollcall/api';
import { invitationReport, startWebhooks, startWorker } from '@rollcall/worker';

import type { StandaloneConfig } from './config.js';
import { createDemo } from './first-run.js';
import { startInvitationsThread, startProjectorThread } from './start-threads.js';

interface RunningStandalone {
  readonly address: string;
  close(): Promise<void>;
}

const maxStartWaitMs = 10_000;
const maxCatchUpMs = 10_000;

/** The whole service in one process, on the adapters that are configured. `close` answers calls in flight and ends running imports first. */
export const startStandalone = (config: StandaloneConfig, logger: Logger): Promise<RunningStandalone> =>
  openInParts(async (opened) => {
    const installation = await openInstallation(config, openAdapters, { opened, logger });
    const { adapters, damage, keys, metrics, health, tracing } = installation;
    await whenThere(installation, config, () => firstRun(config, installation));
    const { adapters: adaptersConfig, logLevel, concurrency, tracing: tracingConfig } = config;
    const { digestKey } = keys;
    const thread = { adapters: adaptersConfig, digestKey, logLevel, tracing: tracingConfig };
    const { callTerm, verifyEveryMs } = config;
    // All threads load at once.
    opened(startProjectorThread({ ...thread, callTerm, verifyEveryMs }));
    const { queueBodyBytes } = config.api;
    const imports = opened(
      openImports(config, installation, { accepts: true, runThreads: concurrency, queueBodyBytes }),
    );
    const report = { ...invitationReport({ metrics, writes: installation.writes, config }), refusals: [] };
    const invitations = opened(
      startInvitationsThread(
        { config: invitationsConfig(config), digestKey, logLevel, tracing: tracingConfig },
        report,
      ),
    );
    await whenThere(installation, config, () => untilCurrent(adapters));
    const ofQueue = () => queueProblems(adapters.queue, report.refusals);
    // The api takes imports while the queue is away.
    const atApi = async () => (await ofQueue()).map((one) => ({ ...one, isOutage: false }));
    const writes = { problems: async () => [...(await installation.writes.problems()), ...(await atApi())] };
    const api = await startApi({ config, keys, adapters, imports, logger, metrics, writes, damage, tracing });
    const worker = startWorker({ adapters, runner: imports, config, logger, metrics, tracing });
    const webhooks = startWebhooks({ adapters, digestKey, config, logger, metrics });
    opened(together(api, worker, invitations, webhooks));
    health.started(async () => [...(await api.problems()), ...(await ofQueue())]);
    await within(imports.tried(), maxStartWaitMs).catch(() => undefined);
    return { address: api.address };
  });

/** Only what can be sent to the thread. */
const invitationsConfig = ({ adapters, ownKeyFolder, invitations }: StandaloneConfig) => ({
  adapters,
  ownKeyFolder,
  invitations,
});

const whenThere = <T>(
  { health }: Installation<Adapters>,
  { adapters }: StandaloneConfig,
  work: () => Promise<T>,
): Promise<T> => withServersThere(adapters, work, { say: health.waits, mostMs: Infinity });

async function untilCurrent({ log, readModels }: Stores): Promise<void> {
  const last = await lastProjected(log);
  if (last !== undefined) await readModels.reachedPosition(last, maxCatchUpMs);
}

const firstRun = (config: StandaloneConfig, { adapters }: Installation<Adapters>): Promise<void> =>
  createDemo({
    dataDir: config.adapters.dataDir,
    keys: {
      publicFolder: config.publicKeyFolder,
      privateFile: keyPaths(config.adapters.dataDir).privateFile,
    },
    issuer: config.api.jwtIssuer,
    audience: config.api.jwtAudience,
    log: adapters.log,
    clock: systemClock,
  });
