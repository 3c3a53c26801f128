import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Call } from './call.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined only where the framework refuses a request before it is routed. */
    call: Call | undefined;
  }
  interface FastifyContextConfig {
    /** The shape of this endpoint's 400; `message` where it is not given. */
    errorBody?: 'message' | 'employees' | 'managers';
    /** How a body is received; `json` where it is not given. `stream`: the route reads it with `receiveBody`. */
    body?: 'json' | 'stream';
    /** Awaited before a 400 or 500 of this route leaves: here an import leaves its ApiCalls row. */
    recordFailure?: (request: FastifyRequest, status: 400 | 500, errors: readonly string[]) => Promise<void>;
    /** False: the per-minute limit does not count calls of this route. */
    rateLimit?: false;
  }
}

/** The app as routes see it: request and answer types come from the TypeBox schemas of the route. */
export type ApiApp = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
