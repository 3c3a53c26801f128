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

export type AnswerHeaders = Readonly<Record<string, TSchema>>;

const everyAnswer: AnswerHeaders = {
  'X-Request-Id': Type.String({
    maxLength: 128,
    description: "Names the call in the log; the caller's own where one was sent.",
  }),
};

export const emptyResponse = (headers: AnswerHeaders = {}) => ({
  description: 'Done; the body is empty',
  headers: { ...headers, ...everyAnswer },
  type: 'null',
});

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

/** For the reference only: the domain reads and checks bodies. */
export const described = (schema: TSchema, example: unknown) =>
  Type.Unsafe<unknown>({ ...schema, examples: [example] });

export const retryHeaders: AnswerHeaders = {
  'Retry-After': Type.Integer({ description: 'Seconds after which to call again.' }),
};
const answerHeaders: Readonly<Record<number, AnswerHeaders>> = {
  401: { 'WWW-Authenticate': Type.String({ description: 'Bearer' }) },
  409: retryHeaders,
  412: {
    ETag: Type.String({ description: 'Of an import: the revision of the set; absent where it has none.' }),
  },
  429: retryHeaders,
  503: retryHeaders,
};

/** A route's error answers from the one table; spread it before the endpoint's own. */
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

export const readErrors = errorResponses(400, 401, 429, 500, 503);
