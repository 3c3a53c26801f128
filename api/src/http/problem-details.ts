import { type ProblemCode, type ProblemDetails } from '@rollcall/contracts';
import type { FastifyRequest } from 'fastify';
import type { HttpError } from './errors.js';
import { problemEntry } from './problem-entry.js';

export const problemType = 'application/problem+json';

/** Wherever `Accept` names the type itself, beside others too, unless with `q=0`. */
export const acceptsProblems = ({ headers }: FastifyRequest): boolean =>
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
export const problemDetails = ({ error, problems, requestId, operationId }: Shown): ProblemDetails => ({
  type: `/docs/problems/${error.kind}`,
  title: titleOf(error.kind),
  status: error.row.status,
  detail: error.message,
  instance: encodeURIComponent(requestId),
  code: error.kind,
  ...(operationId === undefined ? {} : { operationId }),
  ...(error.kind === 'invalid-request' ? { errors: problems.map(problemEntry) } : {}),
});
