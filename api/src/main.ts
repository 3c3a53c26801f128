import { listenProblem, openImports, openInstallation, runProcess } from '@rollcall/host';
import { openInParts, openStores } from '@rollcall/adapters';
import { readServerConfig } from './config.js';
import { startApi } from './start-api.js';

await runProcess({
  readConfig: readServerConfig,
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openStores, { opened, logger });
      const { queueBodyBytes } = config.api;
      const imports = opened(
        openImports(config, installation, { accepts: true, runThreads: 1, queueBodyBytes }),
      );
      const { address, problems } = opened(await startApi({ ...installation, config, imports, logger }));
      installation.health.started(problems);
      process.stdout.write(`The api listens on ${address}\n`);
      return {};
    }),
  explain: listenProblem,
});
