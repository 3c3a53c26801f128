import { SingleFlight } from '@rollcall/application';
import { outage, partProblems, type HealthProblem } from '@rollcall/host';
import type { RouteDependencies } from './route-dependencies.js';

type Parts = Pick<RouteDependencies, 'revocations' | 'publicKeys' | 'imports' | 'timer'> &
  Parameters<typeof partProblems>[0];

/** What keeps this process from its work, or a part of it. Log and read models are asked at most once a second. */
export function readiness(kit: Parts, isStopping: () => boolean): () => Promise<readonly HealthProblem[]> {
  const parts = new SingleFlight(() => partProblems(kit), { freshMs: 1_000, timer: kit.timer });
  return async () =>
    isStopping() ? [outage('the process is stopping')] : [...(await parts.once()), ...ownProblems(kit)];
}

function ownProblems({ revocations, publicKeys, imports }: Parts): HealthProblem[] {
  const problems: HealthProblem[] = [];
  if (revocations.current() === undefined) problems.push(outage('what is known of API users is too old'));
  if (publicKeys.current().size === 0) problems.push(outage('there is no key to check tokens with'));
  if (!imports.isReady()) problems.push(outage('no import thread answers'));
  return problems;
}
