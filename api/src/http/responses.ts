import {
  InvalidRequestBody,
  MessageBody,
  ServerErrorBody,
  invalidRequestExample,
  serverErrorExample,
  unauthorizedExample,
} from '@rollcall/contracts';
import { STATUS_CODES } from 'node:http';
import { Type, type TSchema } from 'typebox';
import { errorTable } from './errors.js';

const bodies: Readonly<Record<number, { readonly schema: TSchema; readonly example: object }>> = {
  400: { schema: InvalidRequestBody, example: invalidRequestExample },
  401: { schema: MessageBody, example: unauthorizedExample },
  500: { schema: ServerErrorBody, example: serverErrorExample },
};

const messageOf = (status: number): string =>
  Object.values(errorTable).find((row) => row.status === status)?.message ?? '';

/** Headers of an answer, by name. */
export type AnswerHeaders = Readonly<Record<string, TSchema>>;

const everyAnswer: AnswerHeaders = {
  'X-Request-Id': Type.String({
    maxLength: 128,
    description: "Names the call in the log; the caller's own where one was sent.",
  }),
};

/** The 200 of a call that answers nothing. */
export const emptyResponse = (headers: AnswerHeaders = {}) => ({
  description: 'Done; the body is empty',
  headers: { ...headers, ...everyAnswer },
  type: 'null',
});

/** A JSON answer as a route's `response` declares it. */
export const jsonResponse = (
  description: string,
  schema: TSchema,
  example: unknown,
  headers: AnswerHeaders = {},
): object => ({
  description,
  headers: { ...headers, ...everyAnswer },
  content: { 'application/json': { schema, example } },
});

/** A body with its example, for the reference only: what comes in is read and checked by the domain. */
export const described = (schema: TSchema, example: unknown) =>
  Type.Unsafe<unknown>({ ...schema, examples: [example] });

export const retryHeaders: AnswerHeaders = {
  'Retry-After': Type.Integer({ description: 'Seconds after which to call again.' }),
};
const answerHeaders: Readonly<Record<number, AnswerHeaders>> = {
  401: { 'WWW-Authenticate': Type.String({ description: 'Bearer' }) },
  409: retryHeaders,
  412: {
    ETag: Type.String({ description: 'The revision that the set is at; absent where it has none yet.' }),
  },
  429: retryHeaders,
  503: retryHeaders,
};

/** The error answers of a route, from the one table; put the endpoint's own behind them. */
export const errorResponses = (...statuses: readonly number[]): Record<number, object> =>
  Object.fromEntries(
    statuses.map((status) => {
      const { schema, example } = bodies[status] ?? {
        schema: MessageBody,
        example: { Message: messageOf(status) },
      };
      return [status, jsonResponse(STATUS_CODES[status] ?? '', schema, example, answerHeaders[status])];
    }),
  );

/** What every guarded GET can answer besides 200. */
export const readErrors = errorResponses(400, 401, 429, 500, 503);
