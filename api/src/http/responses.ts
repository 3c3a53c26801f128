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

/** A JSON answer as a route's `response` declares it. */
export const jsonResponse = (
  description: string,
  schema: TSchema,
  example: unknown,
  headers: AnswerHeaders = {},
): object => ({
  description,
  headers,
  content: { 'application/json': { schema, example } },
});

/** A body with its example, for the reference only: what comes in is read and checked by the domain. */
export const described = (schema: TSchema, example: unknown) =>
  Type.Unsafe<unknown>({ ...schema, examples: [example] });

const Seconds = Type.Integer({ description: 'Seconds after which to call again.' });
const answerHeaders: Readonly<Record<number, AnswerHeaders>> = {
  401: { 'WWW-Authenticate': Type.String({ description: 'Bearer' }) },
  409: { 'Retry-After': Seconds },
  412: { ETag: Type.String({ description: 'The revision that the set is at.' }) },
  429: { 'Retry-After': Seconds },
  503: { 'Retry-After': Seconds },
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
