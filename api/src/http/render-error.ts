import { STATUS_CODES } from 'node:http';
import { managers } from '@rollcall/domain';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from './call.js';
import { toHttpError, type ErrorKind, type HttpError } from './errors.js';
import { bareHeaders } from './request-log.js';
import {
  type ProblemCode,
  type ProblemDetails,
  employeeFields,
  type ProblemEntryCode,
} from '@rollcall/contracts';

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

/** What is the caller's fault stands in the one line of the answer, unless nobody gets one. */
export function logError({ kind, cause: err, row, details }: HttpError, request: FastifyRequest): void {
  const { call, log, raw } = request;
  const refusal = { kind, reason: details.reason };
  const facts = { ...refusal, operationId: call?.answeredOperationId };
  if (kind === 'internal') log.error({ ...facts, operationId: call?.operationId, err }, 'unexpected error');
  else if (row.status >= 500) log.warn({ ...facts, err }, STATUS_CODES[row.status]);
  else if (call && !raw.socket.destroyed) call.refusal = refusal;
  else log.info(facts, STATUS_CODES[row.status]);
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
  if (errors.length <= maxErrorsInString || /^and \d+ more$/.test(errors[maxErrorsInString] ?? ''))
    return errors;
  return [...errors.slice(0, maxErrorsInString), `and ${errors.length - maxErrorsInString} more`];
}

const problemType = 'application/problem+json';

/** Wherever `Accept` names the type itself, beside others too, unless with `q=0`. */
const acceptsProblems = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? '').split(',').some((each) => {
    const [type = '', ...parameters] = each
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return type === problemType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });

const titleOf = (code: ProblemCode): string =>
  code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');

interface Shown {
  readonly error: HttpError;
  /** The texts of `ValidationErrors`; only a 400 has some. */
  readonly problems: readonly string[];
  readonly requestId: string;
  readonly operationId: string | undefined;
}

/** RFC 9457 (docs/http.md, "Errors for machines"). */
const problemDetails = ({ error, problems, requestId, operationId }: Shown): ProblemDetails => ({
  type: `/docs/problems/${error.kind}`,
  title: titleOf(error.kind),
  status: error.row.status,
  detail: error.message,
  instance: encodeURIComponent(requestId),
  code: error.kind,
  ...(operationId === undefined ? {} : { operationId }),
  ...(error.kind === 'invalid-request' ? { errors: problems.map(problemEntry) } : {}),
});

/** The first that fits a text of `ValidationErrors`; the texts are the contract, the codes follow from them. */
const rules: readonly (readonly [RegExp, ProblemEntryCode])[] = [
  [/^(?:\.\.\. )?and \d+ more$/, 'more'],
  [/^Company integration is not allowed/, 'integration-off'],
  [/^The batch limit was exceeded/, 'batch-limit'],
  [/ is required\b/, 'required'],
  [/not valid JSON|there is .* at byte \d+$/, 'json-syntax'],
  [/ the same |must differ from|stands twice|must not repeat/, 'not-unique'],
  [/valid e-mail address|must match|must be in UTC|must be a date/, 'format'],
  [/at most \d+ (?:characters|bytes)/, 'too-long'],
  [/(?:have|name|leave|be) at most \d+/, 'too-many'],
  [/must not be (?:blank|empty)|not blank$|at least one|is empty\b/, 'blank'],
  [/is unknown\b|unknown (?:query )?parameter/i, 'unknown'],
  [/must be (?:\d|one of|Hourly|absent)|must not be true|must equal|cannot change/, 'not-allowed'],
  [/must be (?:an? |true or false)|must be a string/, 'type'],
];

const employee = new RegExp(
  `^\\[(?<at>\\d+)\\](?: EmployeeID '(?<id>.*?)')?: (?<rest>(?:${Object.keys(employeeFields).join('|')}|must|there)\\b.*)$`,
  's',
);
/** Names from outside may be cut or hold anything: the path ends before them, and at a string that holds JSON. */
const path =
  /^(?:SurveySelectionRule|(?:The body(?= )|\[\d+\]|\p{Lu}[\p{L}\d]*(?=[ .:[]))(?:\[\d+\]|\.[\p{L}\d_-]+(?=[.:[]| (?:must|is|needs)\b))*)/u;

const pointerOf = (text: string): string =>
  text
    .replace(/^The body/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^(?=[^.])/, '.')
    .replaceAll('.', '/');

const isField = (text: string): boolean => !/^(?:Query |Company |Header |The (?!body))/.test(text);

function pointerIn(text: string): string | undefined {
  const found = isField(text) ? path.exec(text)?.[0] : undefined;
  return found === undefined ? undefined : pointerOf(found);
}

/** Of a rule about the element itself, the element. */
function pointerWithin(element: string, rest: string): string {
  const isOfElement = rest.startsWith('must') || rest.startsWith('there');
  return `/${element}${isOfElement ? '' : (pointerIn(rest) ?? '')}`;
}

/** One text of `ValidationErrors`, taken apart: RFC 6901 pointer into the body, stable code, EmployeeID. */
export function problemEntry(detail: string): NonNullable<ProblemDetails['errors']>[number] {
  const { at, id, rest = detail } = employee.exec(detail)?.groups ?? {};
  const code = rules.find(([pattern]) => pattern.test(rest))?.[1] ?? 'invalid';
  const pointer = at === undefined ? pointerIn(detail) : pointerWithin(at, rest);
  const known = Object.entries({ pointer, employeeId: id }).filter(([, value]) => value !== undefined);
  return { code, detail, ...Object.fromEntries(known) };
}
