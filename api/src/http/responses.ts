import {
  InvalidRequestBody,
  MessageBody,
  ServerErrorBody,
  invalidRequestExample,
  serverErrorExample,
  unauthorizedExample,
} from '@rollcall/contracts';
import { STATUS_CODES } from 'node:http';
import type { TSchema } from 'typebox';
import { errorTable } from './errors.js';

const bodies: Readonly<Record<number, { readonly schema: TSchema; readonly example: object }>> = {
  400: { schema: InvalidRequestBody, example: invalidRequestExample },
  401: { schema: MessageBody, example: unauthorizedExample },
  500: { schema: ServerErrorBody, example: serverErrorExample },
};

const messageOf = (status: number): string =>
  Object.values(errorTable).find((row) => row.status === status)?.message ?? '';

/** A JSON answer as a route's `response` declares it. */
export const jsonResponse = (description: string, schema: TSchema, example: unknown): object => ({
  description,
  content: { 'application/json': { schema, example } },
});

/** The error answers of a route, from the one table; put the endpoint's own behind them. */
export const errorResponses = (...statuses: readonly number[]): Record<number, object> =>
  Object.fromEntries(
    statuses.map((status) => {
      const { schema, example } = bodies[status] ?? {
        schema: MessageBody,
        example: { Message: messageOf(status) },
      };
      return [status, jsonResponse(STATUS_CODES[status] ?? '', schema, example)];
    }),
  );

/** What every guarded GET can answer besides 200. */
export const readErrors = errorResponses(400, 401, 429, 500, 503);
