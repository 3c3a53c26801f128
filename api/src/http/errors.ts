import {
  EventLogUnavailable,
  ForeignReadModels,
  ImportsBusy,
  LogCorrupt,
  LogWentBack,
  ReadModelsBuilding,
  ReadModelsUnavailable,
} from '@rollcall/application';
import { unauthorizedMessage, type ProblemCode } from '@rollcall/contracts';

interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every error that leaves the service (docs/contract, "Everywhere"). */
export const errorTable = {
  'invalid-request': { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: unauthorizedMessage, headers: { 'www-authenticate': 'Bearer' } },
  'not-found': {
    status: 404,
    message: 'There is nothing at this path. See /docs for the paths of this service.',
  },
  'method-not-allowed': {
    status: 405,
    message: 'This path does not take this method. The Allow header names those it takes.',
  },
  'request-timeout': { status: 408, message: 'The request came too slowly. Send it again.' },
  conflict: {
    status: 409,
    message:
      'A call with this Idempotency-Key is under way. Send the same call again after the seconds in Retry-After to get its answer.',
    headers: { 'retry-after': '1' },
  },
  'precondition-failed': {
    status: 412,
    message:
      'The set is not at a revision that If-Match names. Read it again, and send the ETag of that answer.',
  },
  'body-too-large': { status: 413, message: 'The body is larger than this endpoint takes.' },
  'expectation-failed': {
    status: 417,
    message: 'Only "Expect: 100-continue" is understood. Send the request without it.',
  },
  'unsupported-media-type': {
    status: 415,
    message: 'Send JSON: "Content-Type: application/json", and "Content-Encoding: gzip" or none.',
  },
  unprocessable: {
    status: 422,
    message:
      'This Idempotency-Key was sent with another body within the last 24 hours. Send a new key with a new body.',
  },
  'too-many-requests': {
    status: 429,
    message: 'Too many calls of this API user. Try again after the seconds in Retry-After.',
  },
  'headers-too-large': { status: 431, message: 'The headers of the request are too large.' },
  internal: {
    status: 500,
    message: 'An unexpected error happened. Give the ApiOperationId when you report it.',
  },
  unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment. Try again after the seconds in Retry-After.',
    headers: { 'retry-after': '1' },
  },
} as const satisfies Record<ProblemCode, ErrorRow>;

export type ErrorKind = ProblemCode;

interface HttpErrorDetails {
  readonly message?: string;
  readonly errors?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only; no personal values. */
  readonly reason?: string;
  readonly cause?: unknown;
}

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly kind: ErrorKind;
  readonly details: HttpErrorDetails;

  constructor(kind: ErrorKind, details: HttpErrorDetails = {}) {
    super(details.message ?? errorTable[kind].message, { cause: details.cause });
    this.kind = kind;
    this.details = details;
  }

  get row(): ErrorRow {
    return errorTable[this.kind];
  }
}

export const invalidRequest = (errors: readonly string[], message?: string): HttpError =>
  new HttpError('invalid-request', { errors, ...(message === undefined ? {} : { message }) });

export const unauthorized = (reason: string): HttpError => new HttpError('unauthorized', { reason });

export const notFound = (message: string): HttpError => new HttpError('not-found', { message });

const frameworkKinds: Readonly<Record<string | number, ErrorKind>> = {
  FST_ERR_BAD_URL: 'not-found',
  FST_ERR_MAX_PARAM_LENGTH: 'not-found',
  403: 'not-found',
  404: 'not-found',
  413: 'body-too-large',
  415: 'unsupported-media-type',
};

/** Errors of the framework that are the caller's fault never become a 500. */
function frameworkKind(error: Error): ErrorKind | undefined {
  const { code, statusCode: status }: Error & { readonly code?: unknown; readonly statusCode?: unknown } =
    error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return frameworkKinds[String(code)] ?? frameworkKinds[status] ?? 'invalid-request';
}

const withCure = (error: ForeignReadModels | LogWentBack): HttpError =>
  new HttpError('unavailable', {
    message: `Nothing can be ${error instanceof LogWentBack ? 'answered' : 'shown'}: ${error.message}`,
    headers: { 'retry-after': '60' },
    reason: error.name,
  });

/** A 503 for damaged events. The problem names streams, no values. */
export const unusable = (problem: string, cause?: unknown): HttpError =>
  new HttpError('unavailable', {
    message: `This needs events that cannot be used until an operator has mended them: ${problem}.`,
    headers: { 'retry-after': '60' },
    reason: 'damaged stream',
    cause,
  });

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ImportsBusy)
    return new HttpError('unavailable', { headers: { 'retry-after': '10' }, reason: error.message });
  const known = ofStores(error);
  if (known !== undefined) return known;
  const kind = error instanceof Error ? frameworkKind(error) : undefined;
  if (kind) return new HttpError(kind, { cause: error, reason: 'refused by the framework' });
  return new HttpError('internal', { cause: error });
}

function ofStores(error: unknown): HttpError | undefined {
  if (error instanceof EventLogUnavailable || error instanceof ReadModelsUnavailable) return outage(error);
  if (error instanceof ForeignReadModels) return withCure(error);
  return error instanceof LogCorrupt ? unusable(error.message, error) : undefined;
}

function outage(error: EventLogUnavailable | ReadModelsUnavailable): HttpError {
  if (error instanceof LogWentBack) return withCure(error);
  if (!(error instanceof ReadModelsBuilding))
    return new HttpError('unavailable', { cause: error, reason: error.name });
  return new HttpError('unavailable', {
    message: 'What this endpoint shows is being built. Try again after the seconds in Retry-After.',
    headers: { 'retry-after': '10' },
    reason: error.message,
  });
}
