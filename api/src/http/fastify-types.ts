import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { OpenSession } from '@rollcall/application';
import type { Call } from './call.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined only where the framework refuses before routing. */
    call: Call | undefined;
    /** Of the operations page; only its own routes look for one. */
    session: OpenSession | undefined;
  }
  interface FastifyContextConfig {
    /** The shape of this route's 400; default `message`. */
    errorBody?: 'message' | 'employees' | 'managers';
    /** Default `json`. `stream`: the route calls `receiveBody`. */
    body?: 'json' | 'stream';
    /** Awaited before a 400 or 500 is sent: an import writes its ApiCalls row here. */
    recordFailure?: (request: FastifyRequest, status: 400 | 500, errors: readonly string[]) => Promise<void>;
    /** False: calls do not count for the per-minute limit. */
    rateLimit?: false;
    /** False: a page asks by itself, which keeps no session alive. */
    isClick?: false;
  }
}

export type ApiApp = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;
