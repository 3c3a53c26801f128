import { openReadingAdapters, openInParts } from '@rollcall/adapters/read';
import {
  openInstallation,
  partProblems,
  runProcess,
  commonConfig,
  commonVariables,
  readEnvironment,
} from '@rollcall/host/read';
import { systemClock } from '@rollcall/application/read';
import { startProjector } from './start-projector.js';
import { Type } from 'typebox';
import { setFlagsFromString } from 'node:v8';

// By default V8 collects all garbage behind each 64 MiB of buffers: half of the work on a server. A flag of Node 24 alone.
if (process.versions.v8.startsWith('13.6.'))
  setFlagsFromString('--external-memory-accounted-in-global-limit');

await runProcess({
  readConfig: (env) => commonConfig(readEnvironment(Type.Object(commonVariables), env)),
  start: (config, logger) =>
    openInParts(async (opened) => {
      const installation = await openInstallation(config, openReadingAdapters, { opened, logger }, true);
      const { adapters, damage, keys, health, writes, tracing } = installation;
      const { callTerm, verifyEveryMs } = config;
      opened(
        startProjector({ adapters, digestKey: keys.digestKey, callTerm, verifyEveryMs, logger, tracing }),
      );
      health.started(() => partProblems({ ...adapters, damage, writes, clock: systemClock }));
      process.stdout.write('The projector runs\n');
      return {};
    }),
});
