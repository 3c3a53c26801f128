import { isatty } from 'node:tty';
import { createLogger, type Logger } from './logger.js';

const stdout = 1;

/** Readable lines on a terminal, otherwise JSON. The formatter is loaded on demand. */
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
