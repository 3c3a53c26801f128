import { existsSync } from 'node:fs';
import { createLogger, readServerConfig, type ServerConfig } from '@rollcall/api';
import { framesOf } from '@rollcall/projector';
import closeWithGrace from 'close-with-grace';
import { demoCompanyId, tokenFile } from './first-run.js';
import { startProblem } from './start-problem.js';
import { startStandalone } from './start-standalone.js';
import { welcomeText } from './welcome.js';

const closeDelayMs = 30_000;

async function start(config: ServerConfig): Promise<void> {
  const logger = createLogger(config.logLevel);
  const running = await startStandalone(config, logger);
  const { address, isFirstRun } = running;
  const token = tokenFile(config.adapters.dataDir);
  process.stdout.write(
    welcomeText({
      address,
      isFirstRun,
      companyId: demoCompanyId,
      tokenFile: existsSync(token) ? token : undefined,
    }),
  );
  closeWithGrace({ delay: closeDelayMs, logger }, async ({ err, signal }) => {
    if (err) logger.fatal(problemDetails(err), 'stopping after an error');
    else logger.info({ signal }, 'stopping');
    await running.close();
  });
}

/** Without the text of an error that nobody foresaw: it could repeat what somebody sent. */
function problemDetails(error: Error): object {
  const root = error.cause instanceof Error ? error.cause : error;
  return { name: root.name, code: 'code' in root ? root.code : undefined, frames: framesOf(root) };
}

let config: ServerConfig | undefined;
try {
  config = readServerConfig(process.env);
  await start(config);
} catch (error) {
  process.stderr.write(`${startProblem(error, config)}\n`);
  process.exitCode = 1;
}
