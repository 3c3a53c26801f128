import {
  listenProblem,
  openImports,
  openInParts,
  openInstallation,
  openStores,
  runProcess,
  serveOperations,
} from '@rollcall/adapters';
import { readServerConfig } from './config.js';
import { startApi } from './start-api.js';

/** The api as a process of its own. */
await runProcess({
  readConfig: readServerConfig,
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openStores, opened);
      const imports = opened(openImports(config, installation, { accepts: true, runThreads: 1 }));
      const { address, problems } = opened(await startApi({ ...installation, config, imports, logger }));
      await serveOperations(config, installation.metrics, { opened, problems });
      process.stdout.write(`The api listens on ${address}\n`);
      return {};
    }),
  explain: listenProblem,
});
