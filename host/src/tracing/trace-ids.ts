import { createHash } from 'node:crypto';

export interface TraceIds {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Of the call's own span, 16 hex digits. */
  readonly spanId: string;
}

/** Derived from the operation's UUID, so that every process knows it (docs/decisions/0015-traces.md). */
export function traceOf(operationId: string): TraceIds {
  const traceId = operationId.replaceAll('-', '').toLowerCase();
  const spanId = createHash('sha256').update(`call ${traceId}`).digest('hex').slice(0, 16);
  return { traceId, spanId };
}

/** Undefined for an invalid `traceparent` (W3C Trace Context). */
export function traceparentOf(header: string | undefined): TraceIds | undefined {
  const [, traceId = '', spanId = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(header ?? '') ?? [];
  const isValid = /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId);
  return isValid ? { traceId, spanId } : undefined;
}
