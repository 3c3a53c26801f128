import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly repetitions: number;
  /** Where the temporary data goes; it has to lie on the disk that is to be measured. */
  readonly folder: string | undefined;
  readonly surveys: boolean;
}

const least = 5;

/** Reads the command line: `--sizes 1000,10000`, `--large`, `--reps 5` (never fewer), `--folder`, `--no-surveys`. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sizes: { type: 'string', default: '1000,10000,100000' },
      large: { type: 'boolean', default: false },
      reps: { type: 'string', default: String(least) },
      folder: { type: 'string' },
      'no-surveys': { type: 'boolean', default: false },
    },
  });
  const sizes = [...values.sizes.split(','), ...(values.large ? ['500000'] : [])].map(Number);
  const repetitions = Number(values.reps);
  if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0))
    throw new RangeError('--sizes takes numbers, as 1000,10000');
  if (!Number.isSafeInteger(repetitions) || repetitions < least)
    throw new RangeError(`--reps takes ${least} or more`);
  return { sizes, repetitions, folder: values.folder, surveys: !values['no-surveys'] };
}
