import { hostname } from 'node:os';
import {
  ROOT_CONTEXT,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
} from '@opentelemetry/sdk-trace';
import { version } from '@rollcall/adapters';
import type { DoneSpan, SpanKind, Tracing, TracingConfig } from './tracing.js';
import { createHash } from 'node:crypto';

/** Limit for an unavailable collector at the end of a process. */
const EXPORT_MS = 3_000;

const kinds: Readonly<Record<SpanKind, OtelKind>> = {
  server: OtelKind.SERVER,
  internal: OtelKind.INTERNAL,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
  client: OtelKind.CLIENT,
};

/** Random ids, except for the span of a call: its ids follow from its operation. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: TraceIds | undefined;

  readonly generateTraceId = (): string => this.next?.traceId ?? this.#random.generateTraceId();
  readonly generateSpanId = (): string => this.next?.spanId ?? this.#random.generateSpanId();
}

const contextOf = (ids: TraceIds): SpanContext => ({
  ...ids,
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
});

const parentOf = ({ operationId, isCall = false }: DoneSpan): Context =>
  operationId === undefined || isCall
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, contextOf(traceOf(operationId)));

function linksOf({ callersTrace }: DoneSpan): Link[] {
  const caller = traceparentOf(callersTrace);
  return caller === undefined ? [] : [{ context: contextOf(caller) }];
}

/** Sends spans by OTLP over HTTP in batches. `OTEL_EXPORTER_OTLP_*` set headers and certificates. */
export function openOtelTracing({ endpoint, serviceName, ratio }: TracingConfig): Tracing {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const ids = new Ids();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': `${hostname()}:${process.pid}`,
    }),
    // By trace id alone, not by the parent, so that all processes agree.
    sampler: new TraceIdRatioBasedSampler(ratio),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }) }),
    ],
  });
  const tracer = provider.getTracer('rollcall', version);
  return {
    isOn: true,
    record: (done) => {
      const { name, kind, start: startTime, end, operationId, isCall = false, attributes } = done;
      ids.next = isCall && operationId !== undefined ? traceOf(operationId) : undefined;
      const options = { kind: kinds[kind], startTime, attributes, links: linksOf(done) };
      const span = tracer.startSpan(name, options, parentOf(done));
      ids.next = undefined;
      if (done.failed === true) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
}

interface TraceIds {
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
