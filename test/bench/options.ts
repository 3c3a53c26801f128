import { parseArgs } from 'node:util';
import type { Shape } from './service.js';
import { largeSize, targetSize } from './targets.js';

export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly repetitions: number;
  /** Where the temporary data goes; it has to lie on the disk that is to be measured. */
  readonly folder: string | undefined;
  readonly surveys: boolean;
  /** Over how many connections small calls come; each number is a measurement of its own. */
  readonly connections: readonly number[];
  /** How long each load of small calls goes on. */
  readonly seconds: number;
  /** Sizes of the imports beside which small callers are measured. */
  readonly others: readonly number[];
  /** Megabytes of the hostile lists; each number is a measurement of its own. */
  readonly hostile: readonly number[];
  /** How many invitations that are due at once; each number is a measurement of its own. */
  readonly invitations: readonly number[];
  /** Calls that fill a log with small events; each number is a measurement of its own. */
  readonly events: readonly number[];
  /** Imports that lie behind the operations page; each number is a measurement of its own. */
  readonly looks: readonly number[];
  /** In which shapes of the service. */
  readonly shapes: readonly Shape[];
  /** Instead of all that: the embedded default and the three servers side by side, or a log server that others have filled. */
  readonly stack: StackChoice;
  /** Of how many companies small calls are measured with the log embedded and on a server; each number is a measurement of its own. */
  readonly ratios: readonly number[];
  /** Of each company that goes through two nights beside a plain service; each number is a measurement of its own. */
  readonly employees: readonly number[];
  /** The most of those companies. */
  readonly tenants: number;
  /** That are removed after their term. */
  readonly calls: number;
  /** Numbers of workers for the throughput of queued imports. */
  readonly workers: readonly number[];
  /** Of how many companies an import is queued for that; each number is a measurement of its own. */
  readonly companies: readonly number[];
}

const stackChoices = [
  'embedded',
  'peer',
  'page',
  'servers',
  'workers',
  'projectors',
  'calls',
  'neighbours',
] as const;
type StackChoice = (typeof stackChoices)[number];

const standard = 3;

export const help = `npm run bench -- [options]; docs/development.md, "Benchmark", says how to read it

  --reps 3             repetitions of each case; the minimum counts, fewer only try it out
  --sizes 100000       employees in a list; several, as 10000,100000
  --large              500,000 too, and how far it grows
  --shape together     only npm start; or apart: api, projector and worker as processes of their own
  --connections 1,16,100  of the small calls; none leaves them out
  --seconds 1.5        of each load of small calls
  --no-surveys         no small calls that write surveys
  --others 100000      queued imports beside which small callers call; none
  --hostile 16         megabytes of the lists that hold others up; none
  --invitations 1000,10000  that are due at once; none
  --events 20000       small events in a log that is rebuilt and verified; none
  --looks 5000         imports behind the operations page, looked at beside imports of 100,000; none
  --ratios 50          companies, with the log on a server and embedded; none
  --employees 50,200,900,10000,100000,500000  of companies that load their lists twice, a plain service beside; none
  --tenants 2000       the most of those companies
  --stack peer         only that
  --stack page         only the looks at the page
  --folder /on/that/disk  for the data
  --stack servers      the calls on three servers beside the embedded default, and then
    --workers 1,2,4 --companies 20,200  what workers make of so many queued imports
  --stack workers      only that, on the embedded default
  --stack projectors   one, two and four of them, which project lists of --tenants companies
  --stack calls        the removal of calls after their term, of --calls 1000000
  --stack neighbours   a log server that others have filled
  --help               this
`;

const known = {
  help: { type: 'boolean', default: false },
  sizes: { type: 'string', default: String(targetSize) },
  large: { type: 'boolean', default: false },
  reps: { type: 'string', default: String(standard) },
  folder: { type: 'string' },
  'no-surveys': { type: 'boolean', default: false },
  connections: { type: 'string', default: '1,16,100' },
  seconds: { type: 'string', default: '1.5' },
  others: { type: 'string', default: '100000' },
  shape: { type: 'string' },
  hostile: { type: 'string', default: '16' },
  invitations: { type: 'string', default: '1000,10000' },
  events: { type: 'string', default: '20000' },
  looks: { type: 'string', default: '5000' },
  ratios: { type: 'string', default: '50' },
  stack: { type: 'string', default: 'embedded' },
  employees: { type: 'string', default: '50,200,900,10000,100000,500000' },
  tenants: { type: 'string', default: '2000' },
  calls: { type: 'string', default: '1000000' },
  workers: { type: 'string', default: '1,2,4' },
  companies: { type: 'string', default: '20,200' },
} as const;

/** Reads the command line; undefined where only `--help` is asked for. Throws a RangeError where a value cannot be. */
export function readOptions(argv: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: known,
  });
  if (values.help) return undefined;
  const large = values.large ? [largeSize] : [];
  return {
    sizes: [...numbersIn(values.sizes, '--sizes'), ...large],
    repetitions: numberIn(values.reps, '--reps'),
    folder: values.folder,
    surveys: !values['no-surveys'],
    connections: numbersIn(values.connections, '--connections'),
    seconds: secondsIn(values.seconds),
    others: values.others === 'none' ? [] : [...numbersIn(values.others, '--others'), ...large],
    hostile: numbersIn(values.hostile, '--hostile'),
    invitations: numbersIn(values.invitations, '--invitations'),
    events: numbersIn(values.events, '--events'),
    looks: numbersIn(values.looks, '--looks'),
    ratios: numbersIn(values.ratios, '--ratios'),
    shapes: shapesIn(values.shape),
    stack: stackIn(values.stack),
    employees: numbersIn(values.employees, '--employees'),
    tenants: numberIn(values.tenants, '--tenants'),
    calls: numberIn(values.calls, '--calls'),
    workers: numbersIn(values.workers, '--workers'),
    companies: numbersIn(values.companies, '--companies'),
  };
}

function numberIn(text: string, option: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RangeError(`${option} takes a whole number`);
}

function secondsIn(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 60) return seconds;
  throw new RangeError('--seconds takes a number up to 60');
}

function stackIn(text: string): StackChoice {
  const choice = stackChoices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new RangeError(`--stack takes ${stackChoices.join(', ')}`);
}

function shapesIn(text: string | undefined): readonly Shape[] {
  if (text === undefined) return ['together', 'apart'];
  if (text === 'together' || text === 'apart') return [text];
  throw new RangeError('--shape takes together or apart');
}

function numbersIn(text: string, option: string): number[] {
  if (text === 'none') return [];
  const numbers = text.split(',').map(Number);
  if (numbers.every((each) => Number.isSafeInteger(each) && each > 0)) return numbers;
  throw new RangeError(`${option} takes numbers, as 1000,10000, or none`);
}
