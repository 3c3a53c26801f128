import { pino, stdTimeFunctions, type Logger, type LoggerOptions } from 'pino';

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

/** RFC 3339 times, personal values redacted. `level` is one of pino's, or `silent`. */
export const createLogger = (level: string, destination?: NodeJS.WritableStream): Logger => {
  const options: LoggerOptions = { level, redact, timestamp: stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
};

export type { Logger } from 'pino';
