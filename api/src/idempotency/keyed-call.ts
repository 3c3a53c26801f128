import type { CallContext } from '@rollcall/contracts';
import { idempotency } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';
import { callContext, callerOf } from '../http/call.js';
import { headerValues, readIdempotencyKey, type HeaderReading } from '../http/call-headers.js';
import { HttpError, invalidRequest } from '../http/errors.js';

export function valueOrRefuse<T>(reading: HeaderReading<T>): T {
  if (!reading.ok) throw invalidRequest([reading.problem]);
  return reading.value;
}

/** The name under which the caller's Idempotency-Key is kept. `method` as in an ApiCalls row. */
export function keyHashOf(request: FastifyRequest, method: string): string | undefined {
  const key = valueOrRefuse(readIdempotencyKey(headerValues(request, 'idempotency-key')));
  if (key === undefined) return undefined;
  return idempotency.keyHash({ userId: callerOf(request).userId, method, key });
}

export function keyedContext(
  request: FastifyRequest,
  key: { readonly keyHash: string | undefined; readonly bodySha256: string },
): CallContext {
  const context = callContext(request);
  const { keyHash, bodySha256 } = key;
  return keyHash === undefined ? context : { ...context, idempotency: { keyHash, bodySha256 } };
}

export const replayedHeader = { 'idempotent-replayed': 'true' } as const;

export class RunningKeys {
  readonly #running = new Set<string>();

  /** Runs one call per key at a time: 409 while another is running. Without a key it just runs. */
  async alone<T>(keyHash: string | undefined, run: () => Promise<T>): Promise<T> {
    if (keyHash === undefined) return run();
    if (this.#running.has(keyHash)) throw new HttpError('conflict');
    this.#running.add(keyHash);
    try {
      return await run();
    } finally {
      this.#running.delete(keyHash);
    }
  }
}
