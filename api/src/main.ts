import { openAdapters, openKeys } from '@rollcall/adapters';
import closeWithGrace from 'close-with-grace';
import { ConfigInvalid, readServerConfig } from './config.js';
import { createLogger } from './http/request-log.js';
import { startApi } from './start-api.js';

/** The api as a process of its own. */
async function main(): Promise<void> {
  const config = readServerConfig(process.env);
  const logger = createLogger(config.logLevel);
  const adapters = await openAdapters(config.adapters);
  const keys = await openKeys({ folder: config.keyFolder });
  const api = await startApi({ config, adapters, keys, logger });
  logger.info({ address: api.address }, 'the api listens');
  closeWithGrace({ delay: 30_000, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'the api stops after an error');
    else logger.info({ signal }, 'the api stops');
    await api.close();
    await adapters.close();
  });
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigInvalid ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text ?? 'The api cannot start.'}\n`);
  process.exitCode = 1;
});
