import { createLogger, readServerConfig } from '@rollcall/api';
import { startStandalone } from '@rollcall/standalone';

/** The same server without the sync: only the benchmark may ask for that. */
const config = readServerConfig(process.env);
const { address } = await startStandalone(
  { ...config, adapters: { ...config.adapters, sync: false } },
  createLogger(config.logLevel),
);
process.stdout.write(`${address}\n`);
