import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import {
  EventLogUnavailable,
  LogCorrupt,
  Loggable,
  QueueUnavailable,
  ReadModelsUnavailable,
  framesOf,
} from '@rollcall/application';
import { ConfigInvalid, type Closable } from '@rollcall/adapters';
import type { CommonConfig } from '../configuration/common-config.js';
import { InstallationMismatch } from '../installation/begin-installation.js';
import { DataFolderUnusable } from '../installation/data-folder.js';
import { type Logger, processLogger } from './logger.js';

/** A process that has not ended this long after a signal is ended. */
const closeDelayMs = 30_000;

/** The same for a process that is still starting, or that has closed all and has something open nevertheless. */
const soon = (): Promise<void> => wait(1_000, undefined, { ref: false });

/** Errors whose text tells the operator what to do. */
const foreseen = [
  ConfigInvalid,
  DataFolderUnusable,
  InstallationMismatch,
  EventLogUnavailable,
  LogCorrupt,
  Loggable,
  ReadModelsUnavailable,
  QueueUnavailable,
];

interface ProcessDescription<C extends CommonConfig> {
  readonly readConfig: (env: NodeJS.ProcessEnv) => C;
  /** Resolves when the process works; `close` ends it after work in progress. */
  readonly start: (config: C, logger: Logger) => Promise<Closable>;
  /** One line for a failed start that only this process can explain. */
  readonly explain?: (error: Error, config: C) => string | undefined;
  /** Time for work in progress after a signal (ms, 30 s by default). */
  readonly closeWithinMs?: number;
}

/**
 * Runs a process: configuration, start, and a graceful end on a signal with exit code 0. Unfinished work is safe in the log;
 * a second signal ends it at once. A failed start is one line on stderr, with a stack only if unforeseen, and exit code 1; 2 where a
 * variable is wrong, as of every command.
 */
export async function runProcess<C extends CommonConfig>(described: ProcessDescription<C>): Promise<void> {
  // On a full disk they lose lines.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let config: C | undefined;
  try {
    config = described.readConfig(process.env);
    await startAndWatch(described, config);
  } catch (error) {
    process.stderr.write(`${startProblem(error, described, config)}\n`);
    process.exitCode = config === undefined ? 2 : 1;
  }
}

async function startAndWatch<C extends CommonConfig>(
  { start, closeWithinMs: ms = closeDelayMs }: ProcessDescription<C>,
  config: C,
): Promise<void> {
  const logger = await processLogger(config.logLevel);
  let failed = false;
  const leave = (details: object, message: string): void => {
    logger.warn(details, message);
    process.exit(failed ? 1 : 0);
  };
  const started = start(config, logger);
  const onSecondSignal = (signal: NodeJS.Signals): void =>
    leave({ signal }, 'stopped at once: what was under way is left');
  // Before the start, so that a signal to a container's first process is not lost.
  const watch = closeWithGrace({ delay: false, logger, onSecondSignal }, async ({ err, signal }) => {
    const late = setTimeout(leave, ms, { ms }, 'stopped: what was still under way is left');
    failed = err !== undefined;
    if (err) logger.fatal(problemDetails(err), 'stopping after an error');
    else logger.info({ signal }, 'stopping');
    const running = await Promise.race([started, soon()]).catch(() => undefined);
    if (!running) return;
    await running.close();
    clearTimeout(late);
    process.exitCode = failed ? 1 : 0;
    // It ends of itself: an exit waits for V8's threads, of which one may wait for this one's collection (nodejs/node#54918).
    await soon();
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

/** Without the text of an unforeseen error, which could repeat a caller's data. */
function problemDetails(error: Error): object {
  const root = error.cause instanceof Error ? error.cause : error;
  return { name: root.name, code: 'code' in root ? root.code : undefined, frames: framesOf(root) };
}
