import { appendFloor } from './floors.js';
import { span, table } from './report.js';
import {
  measureSmallCalls,
  type LoadCost,
  type LoadResult,
  type SmallCallName,
  type SmallCallOptions,
} from './small-calls.js';
import type { Bench, Targets } from './targets.js';
import { timesOf } from './times.js';

const heading = ['call', 'connections', 'a second', 'p50 ms', 'p99 ms', 'processors each, ms'];

const spanOf = (runs: readonly LoadCost[], figure: keyof LoadCost): string =>
  span(timesOf(runs.map((run) => run[figure])));

const rowOf = ({ name, connections, runs }: LoadResult): string[] => [
  name,
  String(connections),
  ...(['perSecond', 'p50', 'p99', 'processors'] as const).map((figure) => spanOf(runs, figure)),
];

interface LoadTarget {
  readonly name: SmallCallName;
  readonly connections: number;
  readonly figure: keyof LoadCost;
  readonly target: number;
}

const loadTargets: readonly LoadTarget[] = [
  { name: 'PUT of 3 to one company', connections: 1, figure: 'processors', target: 4 },
  { name: 'GET ApiCalls (10)', connections: 1, figure: 'processors', target: 0.5 },
  { name: 'survey POST', connections: 1, figure: 'processors', target: 2 },
  { name: 'PUT of 3 to 100 companies', connections: 100, figure: 'perSecond', target: 1_500 },
  { name: 'PUT of 3 to 100 companies', connections: 100, figure: 'p99', target: 250 },
  { name: 'PUT of 3 to one company', connections: 100, figure: 'perSecond', target: 600 },
  { name: 'PUT of 3 to one company', connections: 100, figure: 'p99', target: 250 },
];

const units: Readonly<Record<keyof LoadCost, string>> = {
  perSecond: 'a second',
  p50: 'ms',
  p99: 'ms',
  processors: 'ms of the processors',
};

function noteLoads(results: readonly LoadResult[], targets: Targets): void {
  for (const { name, connections, figure, target } of loadTargets) {
    const found = results.find((each) => each.name === name && each.connections === connections);
    if (!found) continue;
    const times = timesOf(found.runs.map((run) => run[figure]));
    const isLeast = figure === 'perSecond';
    const what = `${name}, ${connections} connection${connections === 1 ? '' : 's'}: ${figure === 'p99' ? 'p99' : units[figure]}`;
    const measured = isLeast ? times.maximum : times.minimum;
    targets.note({ what, unit: units[figure], target, measured, isLeast });
  }
}

/** Loads of small calls, and the targets that are theirs. */
export async function benchSmallCalls(bench: Bench, options: SmallCallOptions): Promise<void> {
  const { parent, say, targets } = bench;
  const floor = appendFloor(parent, 200);
  const results = await measureSmallCalls(parent, options);
  say(
    `\nSmall calls on npm start, ${options.seconds} s each; F = ${floor.minimum.toFixed(3)} ms, median ${floor.median.toFixed(3)} ms\n` +
      table([heading, ...results.map(rowOf)]),
  );
  noteLoads(results, targets);
}
