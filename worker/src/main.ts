import {
  openAdapters,
  openImports,
  openInParts,
  openInstallation,
  partProblems,
  runProcess,
  serveOperations,
} from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import { readWorkerConfig } from './config.js';
import { invitationReport } from './invitation-report.js';
import { startInvitations } from './start-invitations.js';
import { startWorker } from './start-worker.js';

/** The worker as a process of its own. */
await runProcess({
  readConfig: readWorkerConfig,
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openAdapters, opened);
      const { concurrency } = config;
      const runner = opened(openImports(config, installation, { accepts: false, runThreads: concurrency }));
      const { adapters, damage, metrics, writes, tracing } = installation;
      const report = invitationReport({ ...installation, config });
      const { digestKey } = installation.keys;
      opened(await startInvitations({ ...installation, digestKey, config, logger, report }));
      // Told to end first: what ends the process from then on is not the doing of the imports that run.
      opened(startWorker({ adapters, runner, concurrency, logger, metrics, tracing }));
      await serveOperations(config, metrics, {
        opened,
        problems: () => partProblems({ ...adapters, damage, writes, clock: systemClock }),
      });
      process.stdout.write('The worker runs\n');
      return {};
    }),
});
