import { KeysUnusable, openAdapters, openKeys } from '@rollcall/adapters';
import closeWithGrace from 'close-with-grace';
import { ConfigInvalid, readServerConfig } from './config.js';
import { createLogger } from './http/request-log.js';
import { startApi } from './start-api.js';

/** The api as a process of its own. */
async function main(): Promise<void> {
  const config = readServerConfig(process.env);
  const logger = createLogger(config.logLevel);
  const adapters = await openAdapters(config.adapters);
  try {
    const keys = await openKeys({ folder: config.keyFolder });
    const api = await startApi({ config, adapters, keys, logger });
    closeWithGrace({ delay: 30_000, logger }, async ({ err, signal }) => {
      if (err) logger.error({ err }, 'the api stops after an error');
      else logger.info({ signal }, 'the api stops');
      await api.close();
      await adapters.close();
    });
  } catch (error) {
    await adapters.close();
    throw error;
  }
}

/** What an operator can mend is said in one line; anything else with its stack. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isKnown = error instanceof ConfigInvalid || error instanceof KeysUnusable || 'syscall' in error;
  return isKnown ? error.message : (error.stack ?? error.message);
}

main().catch((error: unknown) => {
  process.stderr.write(`${problemOf(error)}\n`);
  process.exitCode = 1;
});
