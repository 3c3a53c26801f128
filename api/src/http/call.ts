import type { CallContext } from '@rollcall/contracts';
import type { Clock } from '@rollcall/application';
import type { FastifyRequest } from 'fastify';

/** Who calls, as the token and the log of API users say. */
export interface Caller {
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly string[];
}

/** What the service itself knows of one HTTP call. */
export class Call {
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** Set once the token is accepted. */
  caller: Caller | undefined;
  /** SHA-256 of the unpacked body, hex; set once it was received whole. */
  bodySha256: string | undefined;
  /** Set where the answer is that of an earlier call: its ApiOperationId, for the log. */
  repeatedOperationId: string | undefined;
  #operationId: string | undefined;
  readonly #newId: () => string;

  constructor(clock: Clock, newId: () => string) {
    this.receivedAt = new Date(clock.now()).toISOString();
    this.#newId = newId;
  }

  /** The ApiOperationId: a UUID v7, made when it is first asked for. */
  get operationId(): string {
    return (this.#operationId ??= this.#newId());
  }

  /** The ApiOperationId that the answer has, or would have; undefined where nothing asked for one. */
  get answeredOperationId(): string | undefined {
    return this.repeatedOperationId ?? this.#operationId;
  }
}

/** The accepted caller; throws on a route without a guard. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = request.call?.caller;
  if (!caller) throw new Error('this route has no guard');
  return caller;
}

/** The metadata that the events of this call carry. */
export function callContext(request: FastifyRequest): CallContext {
  const caller = callerOf(request);
  const call = callOf(request);
  return {
    companyId: caller.companyId,
    operationId: call.operationId,
    userId: caller.userId,
    username: caller.name,
    causationId: null,
    receivedAt: call.receivedAt,
  };
}

/** The call behind a request that came through the router. */
export function callOf(request: FastifyRequest): Call {
  if (!request.call) throw new Error('the request did not come through the router');
  return request.call;
}
