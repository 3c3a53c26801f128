import { framesOf, problemOf } from '@rollcall/application/read';
import { pino, stdSerializers, stdTimeFunctions, type Logger, type LoggerOptions } from 'pino';
import { isatty } from 'node:tty';

const personal = [
  'authorization',
  'token',
  'body',
  'Email',
  'Firstname',
  'Lastname',
  'FirstName',
  'LastName',
  'Fullname',
  'Phonenumber',
  'ContactNumber',
  'EmployeeID',
  'ExternalId',
  'Birthday',
  'values',
];

/** pino's settings: no personal value or token reaches the log, even if a whole object is logged. */
const redact: NonNullable<LoggerOptions['redact']> = {
  paths: [...personal, ...personal.map((name) => `*.${name}`), ...personal.map((name) => `*.*.${name}`)],
  censor: '[redacted]',
};

/** A `SyntaxError`'s text repeats its input. */
const repeatsInput = (error: unknown): boolean =>
  error instanceof Error && (error instanceof SyntaxError || repeatsInput(error.cause));

const err = (error: Error): object =>
  repeatsInput(error) ? { problem: problemOf(error), frames: framesOf(error) } : stdSerializers.err(error);

/** RFC 3339 times, personal values redacted. `level` is one of pino's, or `silent`. */
export const createLogger = (level: string, destination?: NodeJS.WritableStream): Logger => {
  const options: LoggerOptions = { level, redact, serializers: { err }, timestamp: stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
};

export type { Logger } from 'pino';

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
