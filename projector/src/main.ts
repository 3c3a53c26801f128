import {
  openReadingAdapters,
  openInParts,
  openInstallation,
  partProblems,
  runProcess,
  serveOperations,
} from '@rollcall/adapters/read';
import { systemClock } from '@rollcall/application/read';
import { readProjectorConfig } from './config.js';
import { startProjector } from './start-projector.js';

/** The projector as a process of its own. */
await runProcess({
  readConfig: readProjectorConfig,
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openReadingAdapters, opened);
      const { adapters, damage, keys, metrics, writes, tracing } = installation;
      opened(startProjector({ adapters, digestKey: keys.digestKey, logger, tracing }));
      await serveOperations(config, metrics, {
        opened,
        problems: () => partProblems({ ...adapters, damage, writes, clock: systemClock }),
      });
      process.stdout.write('The projector runs\n');
      return {};
    }),
});
