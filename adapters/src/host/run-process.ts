import closeWithGrace from 'close-with-grace';
import {
  EventLogUnavailable,
  QueueUnavailable,
  ReadModelsUnavailable,
  framesOf,
} from '@rollcall/application';
import { KeysUnusable } from '../keys/index.js';

import type { CommonConfig } from './common-config.js';
import { InstallationMismatch } from './begin-installation.js';
import { DataFolderUnusable } from './data-folder.js';
import { ConfigInvalid } from './environment.js';
import type { Logger } from './logger.js';
import type { Closable } from './parts.js';
import { processLogger } from './process-logger.js';

/** A process that has not ended by itself so long after a signal is ended. */
const closeDelayMs = 30_000;

/** Their texts are made for whoever starts the process: they name what to mend. */
const foreseen = [
  ConfigInvalid,
  DataFolderUnusable,
  InstallationMismatch,
  KeysUnusable,
  EventLogUnavailable,
  ReadModelsUnavailable,
  QueueUnavailable,
];

export interface ProcessDescription<C extends CommonConfig> {
  readonly readConfig: (env: NodeJS.ProcessEnv) => C;
  /** Resolves when the process does its work; `close` ends it after what is under way. */
  readonly start: (config: C, logger: Logger) => Promise<Closable>;
  /** One line for a failed start that only this process can explain. */
  readonly explain?: (error: Error, config: C) => string | undefined;
  /** How long what is under way at a signal has to end (ms, 30 s by default). */
  readonly closeWithinMs?: number;
}

/**
 * The life of a process: reads its configuration, starts, and ends gracefully on a signal, with exit code 0: what has not
 * ended by then is left, which loses nothing, because the log knows of all that was answered; a second signal leaves it at once. A start that fails says why in
 * one line on stderr, with exit code 1; with where it happened only if it is nothing that could be foreseen.
 */
export async function runProcess<C extends CommonConfig>(described: ProcessDescription<C>): Promise<void> {
  let config: C | undefined;
  try {
    config = described.readConfig(process.env);
    await startAndWatch(described, config);
  } catch (error) {
    process.stderr.write(`${startProblem(error, described, config)}\n`);
    process.exitCode = 1;
  }
}

async function startAndWatch<C extends CommonConfig>(
  { start, closeWithinMs = closeDelayMs }: ProcessDescription<C>,
  config: C,
): Promise<void> {
  const logger = await processLogger(config.logLevel);
  let failed = false;
  const leave = (details: object, message: string): void => {
    logger.warn(details, message);
    process.exit(failed ? 1 : 0);
  };
  const started = start(config, logger);
  // From the beginning, so that a signal while it starts is not lost on a process that is the first of a container.
  const onTimeout = (ms: number): void => leave({ ms }, 'stopped: what was still under way is left');
  const onSecondSignal = (signal: NodeJS.Signals): void =>
    leave({ signal }, 'stopped at once: what was under way is left');
  const options = { delay: closeWithinMs, logger, onTimeout, onSecondSignal };
  const watch = closeWithGrace(options, async ({ err, signal }) => {
    failed = err !== undefined;
    if (err) logger.fatal(problemDetails(err), 'stopping after an error');
    else logger.info({ signal }, 'stopping');
    const running = await started.catch(() => undefined);
    await running?.close();
  });
  try {
    await started;
  } catch (error) {
    watch.uninstall();
    throw error;
  }
}

function startProblem<C extends CommonConfig>(
  error: unknown,
  { explain }: ProcessDescription<C>,
  config: C | undefined,
): string {
  if (!(error instanceof Error)) return String(error);
  if (foreseen.some((kind) => error instanceof kind)) return error.message;
  return (config && explain?.(error, config)) ?? error.stack ?? error.message;
}

/** Without the text of an error that nobody foresaw: it could repeat what somebody sent. */
function problemDetails(error: Error): object {
  const root = error.cause instanceof Error ? error.cause : error;
  return { name: root.name, code: 'code' in root ? root.code : undefined, frames: framesOf(root) };
}
