import { parseArgs } from 'node:util';
import type { Shape } from './watched-service.js';

export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly repetitions: number;
  /** Where the temporary data goes; it has to lie on the disk that is to be measured. */
  readonly folder: string | undefined;
  readonly surveys: boolean;
  /** Sizes of the imports beside which small callers are measured. */
  readonly others: readonly number[];
  /** How many invitations that are due at once; each number is a measurement of its own. */
  readonly invitations: readonly number[];
  /** In which shapes of the service. */
  readonly shapes: readonly Shape[];
  /** Instead of all that: the embedded default and the three servers side by side, or a log server that others have filled. */
  readonly stack: StackChoice;
  /** Of how many companies small calls are measured with the log embedded and on a server; each number is a measurement of its own. */
  readonly ratios: readonly number[];
  /** Numbers of workers for the throughput of queued imports. */
  readonly workers: readonly number[];
  /** Of how many companies an import is queued for that. */
  readonly companies: number;
}

type StackChoice = 'embedded' | 'servers' | 'neighbours';

const least = 5;

/** Reads the command line: `--sizes 1000,10000`, `--large`, `--reps 5` (never fewer), `--folder`, `--no-surveys`, `--others 100000,500000` (`none`), `--shape together|apart`, `--invitations 10000` (`none`), `--ratios 500` (`none`), `--stack servers|neighbours`, `--workers 1,2,4`, `--companies 200`. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      large: { type: 'boolean', default: false },
      reps: { type: 'string', default: String(least) },
      folder: { type: 'string' },
      'no-surveys': { type: 'boolean', default: false },
      others: { type: 'string', default: '100000' },
      shape: { type: 'string' },
      invitations: { type: 'string', default: '10000' },
      ratios: { type: 'string', default: '500' },
      stack: { type: 'string', default: 'embedded' },
      workers: { type: 'string', default: '1,2,4' },
      companies: { type: 'string', default: '200' },
    },
  });
  const large = values.large ? [500_000] : [];
  const sizes = [...numbersIn(values.sizes, '--sizes'), ...large];
  const others = [...numbersIn(values.others, '--others'), ...large];
  const repetitions = Number(values.reps);
  if (!Number.isSafeInteger(repetitions) || repetitions < least)
    throw new RangeError(`--reps takes ${least} or more`);
  return {
    sizes,
    repetitions,
    folder: values.folder,
    surveys: !values['no-surveys'],
    others,
    invitations: numbersIn(values.invitations, '--invitations'),
    ratios: numbersIn(values.ratios, '--ratios'),
    shapes: shapesIn(values.shape),
    stack: stackIn(values.stack),
    workers: numbersIn(values.workers, '--workers'),
    companies: numbersIn(values.companies, '--companies')[0] ?? 200,
  };
}

function stackIn(text: string): StackChoice {
  if (text === 'servers' || text === 'embedded' || text === 'neighbours') return text;
  throw new RangeError('--stack takes embedded, servers or neighbours');
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
