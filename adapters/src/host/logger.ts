import { pino, type Logger, type LoggerOptions } from 'pino';

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

/** pino's settings: personal values and tokens never reach the log, also where somebody logs a whole object. */
const redact: NonNullable<LoggerOptions['redact']> = {
  paths: [...personal, ...personal.map((name) => `*.${name}`), ...personal.map((name) => `*.*.${name}`)],
  censor: '[redacted]',
};

/** A logger with the redaction of this service. `level` is one of pino's, or `silent`. */
export const createLogger = (level: string, destination?: NodeJS.WritableStream): Logger => {
  const options: LoggerOptions = { level, redact };
  return destination ? pino(options, destination) : pino(options);
};

export type { Logger } from 'pino';
