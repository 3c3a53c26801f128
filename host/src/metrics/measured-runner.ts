import { isRun, type ImportRunner } from '@rollcall/application';
import type { Families } from './families.js';

type Runner = Pick<ImportRunner, 'runOldest'>;

/** Counts and times each run. A poll that runs nothing, or throws, does not count. */
export const measuredRunner = (runner: Runner, { importRuns }: Families): Runner => ({
  runOldest: async (companyId, options) => {
    const start = performance.now();
    const result = await runner.runOldest(companyId, options);
    if (!isRun(result)) return result;
    const outcome = result.kind === 'ended' ? result.outcome : result.kind;
    importRuns.observe({ kind: result.importKind, outcome }, (performance.now() - start) / 1_000);
    return result;
  },
});
