import { pino, type Logger, type LoggerOptions } from 'pino';
import type { ApiApp } from './fastify-types.js';

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
export const logRedaction: NonNullable<LoggerOptions['redact']> = {
  paths: [...personal, ...personal.map((name) => `*.${name}`), ...personal.map((name) => `*.*.${name}`)],
  censor: '[redacted]',
};

/** A logger with the redaction of this service. `level` is one of pino's, or `silent`. */
export const createLogger = (level: string, destination?: NodeJS.WritableStream): Logger => {
  const options: LoggerOptions = { level, redact: logRedaction };
  return destination ? pino(options, destination) : pino(options);
};

/** One line for each answer: the route's pattern, never the address, whose query can name a person. */
export function logRequests(app: ApiApp): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, call, routeOptions } = request;
    request.log.info(
      {
        method,
        route: routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        userId: call?.caller?.userId,
        companyId: call?.caller?.companyId,
        operationId: call?.madeOperationId,
      },
      'answered',
    );
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info(
      { route: request.routeOptions.url, operationId: request.call?.madeOperationId },
      'the caller went away',
    );
    done();
  });
}
