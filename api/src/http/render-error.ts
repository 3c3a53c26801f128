import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from './call.js';
import { toHttpError, type HttpError } from './errors.js';

/** The one place where errors become answers. */
export async function renderError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let shown = toHttpError(error);
  const onRefused = request.routeOptions.config.onRefused;
  if (shown.kind === 'invalid-request' && onRefused && request.call?.caller) {
    try {
      await onRefused(request, problemsOf(shown));
    } catch (failure) {
      shown = toHttpError(failure);
    }
  }
  logError(shown, request);
  return reply
    .code(shown.row.status)
    .header('x-request-id', request.id)
    .headers({ ...shown.row.headers, ...shown.details.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(shown, request)));
}

const problemsOf = (error: HttpError): readonly string[] => error.details.errors ?? [error.message];

function bodyOf(error: HttpError, request: FastifyRequest): object {
  if (error.kind === 'internal')
    return { Message: error.message, ApiOperationId: request.call?.operationId ?? request.id };
  if (error.kind !== 'invalid-request') return { Message: error.message };
  return request.routeOptions.config.errorBody === 'employees'
    ? { ApiOperationId: callOf(request).operationId, ValidationErrors: problemsOf(error) }
    : { Message: error.message, ValidationErrors: problemsOf(error) };
}

function logError(error: HttpError, request: FastifyRequest): void {
  const { status } = error.row;
  const facts = {
    kind: error.kind,
    reason: error.details.reason,
    operationId: request.call?.madeOperationId,
  };
  if (error.kind === 'internal') {
    request.log.error(
      { ...facts, operationId: request.call?.operationId, err: error.cause },
      'unexpected error',
    );
  } else if (status >= 500) {
    request.log.warn({ ...facts, err: error.cause }, STATUS_CODES[status]);
  } else {
    request.log.info(facts, STATUS_CODES[status]);
  }
}
