export interface TracingConfig {
  /** An OTLP collector's; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of traces that are sent, 0 to 1; the same ones in every process. */
  readonly ratio: number;
}

export type SpanKind = 'server' | 'internal' | 'producer' | 'consumer' | 'client';

export interface DoneSpan {
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** The call whose trace this belongs to; undefined: a trace of its own. */
  readonly operationId: string | undefined;
  /** The call itself, parent of the operation's other spans. */
  readonly isCall?: boolean;
  /** The caller's `traceparent`, linked from the span. */
  readonly callersTrace?: string | undefined;
  /** No personal values. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly failed?: boolean;
}

/** Never fails and never makes the caller wait. */
export interface Tracing {
  /** False: nothing is recorded, so nothing need be looked up for a span. */
  readonly isOn: boolean;
  record(span: DoneSpan): void;
  /** Sends the rest, for a few seconds at most. */
  close(): Promise<void>;
}

export const noTracing: Tracing = {
  isOn: false,
  record: () => undefined,
  close: () => Promise.resolve(),
};
