/** Where spans go, and how many traces. */
export interface TracingConfig {
  /** Of an OTLP collector; `/v1/traces` is put behind it. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** The share of traces that are sent, 0 to 1; every process takes the same ones. */
  readonly ratio: number;
}

export type SpanKind = 'server' | 'internal' | 'producer' | 'consumer' | 'client';

/** Something that was done, once it is done. */
export interface DoneSpan {
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** The call that it belongs to, whose trace it is part of; undefined: a trace of its own. */
  readonly operationId: string | undefined;
  /** It is the call itself: what all others of the operation stand under. */
  readonly isCall?: boolean;
  /** What the caller sent as `traceparent`: the span points there. */
  readonly callersTrace?: string | undefined;
  /** Never a value of a person. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly failed?: boolean;
}

/** Reports what was done for which call. It never fails and never makes anything wait. */
export interface Tracing {
  /** False where nobody is told: then nothing need be looked up for a span. */
  readonly isOn: boolean;
  record(span: DoneSpan): void;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

export const noTracing: Tracing = {
  isOn: false,
  record: () => undefined,
  close: () => Promise.resolve(),
};
