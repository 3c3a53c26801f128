import { noTracing, type Tracing, type TracingConfig } from './tracing.js';

/** Loads OpenTelemetry only where an endpoint is configured. */
export async function openTracing(config: TracingConfig | undefined): Promise<Tracing> {
  if (config === undefined) return noTracing;
  const { openOtelTracing } = await import('./otel-tracing.js');
  return openOtelTracing(config);
}
