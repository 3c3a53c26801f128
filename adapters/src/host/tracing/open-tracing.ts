import { noTracing, type Tracing, type TracingConfig } from './tracing.js';

/** Where no endpoint is configured nothing of OpenTelemetry is loaded. */
export async function openTracing(config: TracingConfig | undefined): Promise<Tracing> {
  if (config === undefined) return noTracing;
  const { openOtelTracing } = await import('./otel-tracing.js');
  return openOtelTracing(config);
}
