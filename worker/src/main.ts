import { openAdapters, openInParts, together } from '@rollcall/adapters';
import { openImports, openInstallation, partProblems, runProcess } from '@rollcall/host';
import { systemClock } from '@rollcall/application';
import { readWorkerConfig } from './config.js';
import { startWorker } from './start-worker.js';
import { invitationReport, startInvitations } from './start-invitations.js';
import { startWebhooks } from './start-webhooks.js';

await runProcess({
  readConfig: readWorkerConfig,
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openAdapters, { opened, logger });
      const { concurrency } = config;
      const runner = opened(openImports(config, installation, { accepts: false, runThreads: concurrency }));
      const { adapters, damage, metrics, health, writes, tracing } = installation;
      const report = invitationReport({ ...installation, config });
      const { digestKey } = installation.keys;
      const invitations = await startInvitations({ ...installation, digestKey, config, logger, report });
      const webhooks = startWebhooks({ adapters, digestKey, config, logger, metrics });
      const worker = startWorker({ adapters, runner, config, logger, metrics, tracing });
      // The worker is stopped first: from then on a crash is not the running imports' fault.
      opened(together(worker, webhooks, invitations));
      health.started(() => partProblems({ ...adapters, damage, writes, clock: systemClock }));
      process.stdout.write('The worker runs\n');
      return {};
    }),
});
