import { version } from '../version.js';

/** Something that is wrong with a process. */
export interface HealthProblem {
  /** Without personal values: it is shown without a token. */
  readonly problem: string;
  /** Whether it keeps the process from what it is for; otherwise it serves, but not all as it should. */
  readonly isOutage: boolean;
}

export const outage = (problem: string): HealthProblem => ({ problem, isOutage: true });
export const degradation = (problem: string): HealthProblem => ({ problem, isOutage: false });

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly Status: 'ok' | 'degraded' | 'unavailable';
    readonly Problems: readonly string[];
    readonly Version: string;
  };
}

/** What `/health/ready` answers (docs/contract, "Health, version, metrics"). */
export function readyAnswer(problems: readonly HealthProblem[]): HealthAnswer {
  const Problems = problems.map(({ problem }) => problem);
  if (problems.some(({ isOutage }) => isOutage))
    return {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { Status: 'unavailable', Problems, Version: version },
    };
  const Status = problems.length === 0 ? 'ok' : 'degraded';
  return { status: 200, headers: {}, body: { Status, Problems, Version: version } };
}

/** What `/health/live` answers: the process does. */
export const liveAnswer = { Status: 'ok', Version: version } as const;
