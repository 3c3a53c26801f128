import { framesOf, problemOf } from '@rollcall/application/read';
import { pino, type DestinationStream, type Logger } from 'pino';
import { fstatSync } from 'node:fs';
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
const redact: NonNullable<pino.LoggerOptions['redact']> = {
  paths: [...personal, ...personal.map((name) => `*.${name}`), ...personal.map((name) => `*.*.${name}`)],
  censor: '[redacted]',
};

/** A `SyntaxError`'s text repeats its input. */
const repeatsInput = (error: unknown): boolean =>
  error instanceof Error && (error instanceof SyntaxError || repeatsInput(error.cause));

const err = (error: Error): object =>
  repeatsInput(error)
    ? { problem: problemOf(error), frames: framesOf(error) }
    : pino.stdSerializers.err(error);

const stdout = 1;
const maxUnwrittenBytes = 4 * 1024 * 1024;

/** A full disk ends no process: lines are written once there is room, within the limit. Only pipes are written async. */
function toStdout(): DestinationStream {
  const file = fstatSync(stdout);
  const sync = !file.isFIFO() && !file.isSocket();
  const destination = pino.destination({ dest: stdout, sync, maxLength: sync ? maxUnwrittenBytes : 0 });
  // SonicBoom repeats for ever what a full disk refuses.
  if (sync) destination.flushSync = () => undefined;
  return destination.on('error', () => undefined);
}

/** RFC 3339 times, personal values redacted. `level` is one of pino's, or `silent`. */
export const createLogger = (level: string, destination: DestinationStream = toStdout()): Logger =>
  pino({ level, redact, serializers: { err }, timestamp: pino.stdTimeFunctions.isoTime }, destination);

export type { Logger };

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
