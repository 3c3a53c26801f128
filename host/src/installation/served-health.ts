import type { CommonConfig } from '../configuration/common-config.js';
import { outage, type HealthProblem } from '../health/health.js';
import type { Metrics } from '../metrics/metrics.js';
import { openMetricsServer } from '../metrics/metrics-server.js';
import type { Opened } from '@rollcall/adapters';

type Problems = () => Promise<readonly HealthProblem[]>;

export interface ServedHealth {
  /** Reports in one line why the start waits for a server. */
  readonly waits: (line: string) => void;
  /** Readiness is what this finds from now on; before, the process is starting. */
  readonly started: (problems: Problems) => void;
}

/** Serves metrics and health from the start on, if configured (`METRICS_PORT`), and reports the address. */
export async function serveHealth(
  { metricsServer }: Pick<CommonConfig, 'metricsServer'>,
  metrics: Metrics,
  opened: Opened,
): Promise<ServedHealth> {
  const starting =
    (why: string): Problems =>
    () =>
      Promise.resolve([outage(why)]);
  let problems = starting('the process is starting');
  if (metricsServer !== undefined) {
    const { address } = opened(
      await openMetricsServer(metricsServer, { metrics, problems: () => problems() }),
    );
    process.stdout.write(`Metrics are on ${address}/metrics\n`);
  }
  return {
    waits: (line) => {
      process.stderr.write(`${line}\n`);
      problems = starting(`the process is starting: ${line}`);
    },
    started: (found) => void (problems = found),
  };
}
