import { commit } from '@rollcall/contracts';
import { version } from '@rollcall/adapters';

export interface HealthProblem {
  /** Without personal values: shown without a token. */
  readonly problem: string;
  /** True: the process cannot do its work. False: it serves in part. */
  readonly isOutage: boolean;
}

export const outage = (problem: string): HealthProblem => ({ problem, isOutage: true });
export const degradation = (problem: string): HealthProblem => ({ problem, isOutage: false });

/** Of one problem with many places. */
const mostNamed = 10;

/** The first texts, then how many more there are. */
export function firstOf(texts: readonly string[], separator: string): string {
  const more = texts.length > mostNamed ? ` and ${texts.length - mostNamed} more` : '';
  return `${texts.slice(0, mostNamed).join(separator)}${more}`;
}

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly Status: 'ok' | 'degraded' | 'unavailable';
    readonly Problems: readonly string[];
    readonly Version: string;
    readonly Commit: string | null;
  };
}

const build = { Version: version, Commit: commit };

/** What `/health/ready` answers (docs/contract, "Health, version, metrics"). */
export function readyAnswer(problems: readonly HealthProblem[]): HealthAnswer {
  const Problems = [...new Set(problems.map(({ problem }) => problem))];
  if (problems.some(({ isOutage }) => isOutage))
    return {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { Status: 'unavailable', Problems, ...build },
    };
  const Status = problems.length === 0 ? 'ok' : 'degraded';
  return { status: 200, headers: {}, body: { Status, Problems, ...build } };
}

export const liveAnswer = { Status: 'ok', ...build } as const;
