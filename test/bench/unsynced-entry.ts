import { createLogger } from '@rollcall/host';
import { readStandaloneConfig, startStandalone } from '@rollcall/standalone';

/** The same server without the sync: only the benchmark may ask for that. */
const config = readStandaloneConfig(process.env);
const { address } = await startStandalone(
  { ...config, adapters: { ...config.adapters, sync: false } },
  createLogger(config.logLevel),
);
process.stdout.write(`${address}\n`);
