import { isatty } from 'node:tty';
import { createLogger, type Logger } from './logger.js';

const stdout = 1;

/**
 * The logger of a process or a thread: lines for people where stdout is a terminal, JSON for all who read it otherwise. What
 * writes those lines is loaded only then.
 */
export async function processLogger(level: string): Promise<Logger> {
  if (level === 'silent' || !isatty(stdout)) return createLogger(level);
  const { default: pretty } = await import('pino-pretty');
  const options = {
    destination: stdout,
    sync: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
  };
  return createLogger(level, pretty(options));
}
