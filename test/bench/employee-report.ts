import type { Bodies } from './bodies.js';
import { employeeCases, type Cost, type Costs } from './employee-cases.js';
import { ratio, span, table } from './report.js';
import { shapeNames, type Shape } from './service.js';
import { largeSize, targetSize, type Targets } from './targets.js';
import { timesOf, type Times } from './times.js';

/** All repetitions of the cases at one size on one stack. */
export interface EmployeeResults {
  readonly bodies: Bodies;
  readonly runs: readonly Costs[];
}

type Figure = keyof Cost;

const heading = [
  ...['case', 'ms', 'P', 'readable ms', 'P', 'processors ms', 'P', 'until rest ms', 'P'],
  ...['RSS bodies', 'anon. bodies'],
];

/** The list that a case sends, or that lies behind it. */
const variantOf = (name: string) => employeeCases.find((one) => one.name === name)?.variant ?? 'ordinary';

const timesIn = (runs: readonly Costs[], name: string, figure: Figure): Times =>
  timesOf(runs.map((run) => run.get(name)?.[figure] ?? NaN));

function memoryIn({ bodies, runs }: EmployeeResults, name: string, figure: 'rss' | 'anonymous'): number {
  return timesIn(runs, name, figure).maximum / bodies.lengthOf(variantOf(name));
}

/** The minimum over the repetitions, in P of the body that was sent. */
function inP({ bodies, runs }: EmployeeResults, name: string, figure: Figure): number {
  return timesIn(runs, name, figure).minimum / bodies.floorOf(variantOf(name)).minimum;
}

function cellsOf(results: EmployeeResults, name: string): string[] {
  const floor = results.bodies.floorOf(variantOf(name)).minimum;
  const figures = (['clock', 'readable', 'answered', 'rested'] as const).flatMap((figure) => {
    const times = timesIn(results.runs, name, figure);
    return [span(times), ratio(times.minimum, floor)];
  });
  const memory = (['rss', 'anonymous'] as const).map((figure) => memoryIn(results, name, figure).toFixed(2));
  return [name, ...figures, ...memory];
}

/** The cases that were measured, in their order. */
const namesIn = ([first]: readonly Costs[]): string[] => [...(first?.keys() ?? [])];

/** A row for each case; minimum and maximum over the repetitions, of memory the maximum. */
export function employeeTable(results: EmployeeResults, what: string): string {
  const { bodies, runs } = results;
  const floor = bodies.floorOf('ordinary');
  const megabytes = (bodies.lengthOf('ordinary') / 1e6).toFixed(1);
  return (
    `\n${what}: ${bodies.size} employees, ${megabytes} MB; P = ${span(floor)} ms for the ordinary body\n` +
    table([heading, ...namesIn(runs).map((name) => cellsOf(results, name))])
  );
}

/** In P to the answer: by the clock, and of the processors. */
const callTargets = [
  { name: 'first load', clock: 5, answered: 10 },
  { name: 'same bytes', clock: 0.7, answered: 0.7 },
  { name: 'other order and spacing', clock: 1.5, answered: 1.5 },
  { name: '1 % changed', clock: 1.6, answered: 1.6 },
];

/** P of all lists together that come for the first time: what is replayed are they and some changes of 1 %. */
const floorOfLoads = ({ bodies }: EmployeeResults): number =>
  employeeCases
    .filter(({ changes }) => changes === 'all')
    .reduce((sum, { variant }) => sum + bodies.floorOf(variant).minimum, 0);

/** Of what follows a call's answer, and of what reads: in P. */
function noteReadModels(results: EmployeeResults, shape: Shape, targets: Targets): void {
  const note = (what: string, target: number, measured: number): void => {
    if (!Number.isNaN(measured))
      targets.note({ what: `${what}, ${shapeNames[shape]}`, unit: 'P', target, measured });
  };
  note('first load until all can be read', 4, inP(results, 'first load', 'readable'));
  note('first load until rest: processors', 6, inP(results, 'first load', 'rested'));
  const behind = results.runs.map((run) => {
    const { rested = NaN, answered = NaN } = run.get(ordinaryCase) ?? {};
    return rested - answered;
  });
  const floor = results.bodies.floorOf(variantOf(ordinaryCase)).minimum;
  note('1 % changed, behind the answer: processors', 0.6, timesOf(behind).minimum / floor);
  for (const figure of ['clock', 'answered'] as const) {
    const what = figure === 'clock' ? '' : ': processors';
    for (const name of ['GET of all', 'GET of all, again'])
      note(`${name}${what}`, 0.8, inP(results, name, figure));
    const replay = timesIn(results.runs, 'replay', figure).minimum / floorOfLoads(results);
    note(`replay, for each first load in the log${what}`, 1.8, replay);
  }
}

const spelled = ['.NET-escaped', 'Python-escaped', 'pretty-printed', 'non-ASCII addresses'];
const spelledTarget = 1.3;
const ordinaryCase = '1 % changed';

function noteCalls(results: EmployeeResults, shape: Shape, targets: Targets): void {
  for (const { name, clock, answered } of callTargets) {
    const what = `${name}, ${shapeNames[shape]}`;
    targets.note({ what, unit: 'P', target: clock, measured: inP(results, name, 'clock') });
    const measured = inP(results, name, 'answered');
    targets.note({ what: `${what}: processors`, unit: 'P', target: answered, measured });
  }
  for (const spelling of spelled) {
    const over = (figure: Figure): number =>
      timesIn(results.runs, `${ordinaryCase}, ${spelling}`, figure).minimum /
      timesIn(results.runs, ordinaryCase, figure).minimum;
    const what = `${spelling} over ordinary, ${shapeNames[shape]}`;
    targets.note({ what, unit: 'times', target: spelledTarget, measured: over('clock') });
    targets.note({
      what: `${what}: processors`,
      unit: 'times',
      target: spelledTarget,
      measured: over('answered'),
    });
  }
}

/** In bodies above rest, the highest of all calls. */
const memoryTargets: Readonly<Record<Shape, Readonly<Record<number, number>>>> = {
  together: { [targetSize]: 1.5 },
  apart: { [targetSize]: 0.5, [largeSize]: 0.25 },
};

function noteMemory(results: EmployeeResults, shape: Shape, targets: Targets): void {
  const { size } = results.bodies;
  const target = memoryTargets[shape][size];
  if (target === undefined) return;
  const names = employeeCases.map(({ name }) => name);
  const whose = shape === 'together' ? 'npm start' : 'the api';
  for (const figure of ['rss', 'anonymous'] as const) {
    const most = names.map((name) => ({ name, bodies: memoryIn(results, name, figure) }));
    const highest = most.reduce((one, other) => (other.bodies > one.bodies ? other : one));
    const what = `memory of ${whose} at ${size}, ${figure === 'rss' ? 'RSS' : 'anonymous'} (${highest.name})`;
    targets.note({ what, unit: 'bodies', target, measured: highest.bodies });
  }
}

/** Notes what the targets say of these cases, where the size is one of theirs. */
export function noteEmployees(results: EmployeeResults, shape: Shape, targets: Targets): void {
  if (results.bodies.size === targetSize) {
    noteCalls(results, shape, targets);
    noteReadModels(results, shape, targets);
  }
  noteMemory(results, shape, targets);
}

/** How far each case grows from the smaller size to the larger one, over how far P of its own body does. */
export function noteGrowth(
  small: EmployeeResults,
  large: EmployeeResults,
  shape: Shape,
  targets: Targets,
): void {
  for (const { name } of callTargets)
    for (const each of ['clock', 'answered'] as const)
      targets.note({
        what:
          `growth ${small.bodies.size} to ${large.bodies.size}, ${name}, ${shapeNames[shape]}` +
          (each === 'clock' ? '' : ': processors'),
        unit: 'of that of P',
        target: 1,
        measured: inP(large, name, each) / inP(small, name, each),
      });
}
