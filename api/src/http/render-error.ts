import { STATUS_CODES } from 'node:http';
import { managers } from '@rollcall/domain';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from './call.js';
import { toHttpError, type ErrorKind, type HttpError } from './errors.js';
import { acceptsProblems, problemDetails, problemType } from './problem-details.js';
import { bareHeaders } from './request-log.js';

export async function renderError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const shown = await recorded(toHttpError(error), request);
  logError(shown, request);
  return sendError(shown, reply.headers({ 'x-request-id': request.id, ...bareHeaders }));
}

/** In the endpoint's own shape, or as RFC 9457 for a caller that accepts it. */
export function sendError(error: HttpError, reply: FastifyReply): FastifyReply {
  const { request } = reply;
  const asProblem = acceptsProblems(request);
  const body = asProblem
    ? problemDetails({ error, problems: problemsOf(error), ...named(error, request) })
    : bodyOf(error, request);
  return reply
    .code(error.row.status)
    .headers({ ...error.row.headers, ...error.details.headers })
    .type(`${asProblem ? problemType : 'application/json'}; charset=utf-8`)
    .send(JSON.stringify(body));
}

const named = (error: HttpError, request: FastifyRequest) => ({
  requestId: request.id,
  operationId: namesOperation(error, request) ? (request.call?.operationId ?? request.id) : undefined,
});

const namesOperation = ({ kind }: HttpError, { routeOptions }: FastifyRequest): boolean =>
  kind === 'internal' || (kind === 'invalid-request' && routeOptions.config.errorBody !== undefined);

const recordedStatus: Partial<Record<ErrorKind, 400 | 500>> = { 'invalid-request': 400, internal: 500 };

/** Writes the row of a failed import. Without it a 400 is not answered, but a 500 is: its cause may be the log. */
async function recorded(error: HttpError, request: FastifyRequest): Promise<HttpError> {
  const { recordFailure } = request.routeOptions.config;
  const status = recordedStatus[error.kind];
  if (!recordFailure || !request.call?.caller || status === undefined) return error;
  try {
    await recordFailure(request, status, status === 400 ? problemsOf(error) : []);
    return error;
  } catch (failure) {
    if (status === 400) return toHttpError(failure);
    request.log.warn({ err: failure, operationId: request.call.operationId }, 'the call leaves no row');
    return error;
  }
}

const problemsOf = (error: HttpError): readonly string[] => error.details.errors ?? [error.message];

function bodyOf(error: HttpError, request: FastifyRequest): object | string {
  if (error.kind === 'internal')
    return { Message: error.message, ApiOperationId: request.call?.operationId ?? request.id };
  if (error.kind !== 'invalid-request') return { Message: error.message };
  return refusalBodies[request.routeOptions.config.errorBody ?? 'message']({
    message: error.message,
    errors: problemsOf(error),
    operationId: () => callOf(request).operationId,
  });
}

export function logError(error: HttpError, request: FastifyRequest): void {
  const { status } = error.row;
  const facts = {
    kind: error.kind,
    reason: error.details.reason,
    operationId: request.call?.answeredOperationId,
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

interface Refusal {
  readonly message: string;
  readonly errors: readonly string[];
  readonly operationId: () => string;
}

type ErrorBody = NonNullable<FastifyContextConfig['errorBody']>;

/** Problems in the one string of a manager import's 400, before `and N more` (docs/contract, "400 body"). */
const maxErrorsInString = 20;

/** Each endpoint's 400 body (docs/contract, "Everywhere", "400"). */
const refusalBodies: Readonly<Record<ErrorBody, (refusal: Refusal) => object | string>> = {
  message: ({ message, errors }) => ({ Message: message, ValidationErrors: errors }),
  employees: ({ errors, operationId }) => ({ ApiOperationId: operationId(), ValidationErrors: errors }),
  managers: ({ errors }) => managers.refusalText(shortened(errors)),
};

/** The domain's list already ends with `and N more`. */
function shortened(errors: readonly string[]): readonly string[] {
  if (errors.length <= maxErrorsInString + 1) return errors;
  return [...errors.slice(0, maxErrorsInString), `and ${errors.length - maxErrorsInString} more`];
}
