import type { CallContext } from '@rollcall/contracts';
import type { Clock } from '@rollcall/application';
import type { FastifyRequest } from 'fastify';

export interface Caller {
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly string[];
}

export class Call {
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** Set once the token is accepted. */
  caller: Caller | undefined;
  /** SHA-256 of the unpacked body, hex; set once it is complete. */
  bodySha256: string | undefined;
  /** For a replay: the first call's ApiOperationId, for the log. */
  repeatedOperationId: string | undefined;
  #operationId: string | undefined;
  readonly #newId: () => string;

  constructor(clock: Clock, newId: () => string) {
    this.receivedAt = new Date(clock.now()).toISOString();
    this.#newId = newId;
  }

  /** The ApiOperationId: a UUID v7, made on first use. */
  get operationId(): string {
    return (this.#operationId ??= this.#newId());
  }

  get answeredOperationId(): string | undefined {
    return this.repeatedOperationId ?? this.#operationId;
  }
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = request.call?.caller;
  if (!caller) throw new Error('this route has no guard');
  return caller;
}

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

export function callOf(request: FastifyRequest): Call {
  if (!request.call) throw new Error('the request did not come through the router');
  return request.call;
}
