import type { Times } from './floors.js';

export interface Row {
  readonly what: string;
  readonly times: Times;
  /** What a ratio is taken of, with its sign: P or F. */
  readonly floor: Times;
  readonly sign: 'P' | 'F';
  /** The most that the ratio of the minima may be. */
  readonly target?: number;
  readonly memory?: { readonly rss: number; readonly anonymous: number; readonly body?: number };
}

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

export const verdict = (ratio: number, target: number | undefined): string =>
  target === undefined ? '' : `${ratio <= target ? 'ok' : 'short'} (${target})`;

const heading = [
  'case',
  'min ms',
  'median ms',
  'min ratio',
  'median ratio',
  'target',
  'RSS +MiB',
  'anon +MiB',
  'RSS/body',
];

const memoryTarget = 2;

/** Memory beside its own target, which the issue sets at 100,000 employees. */
function memoryCells({ memory, target }: Row): string[] {
  if (!memory) return ['', '', ''];
  const amounts = [mebibytes(memory.rss), mebibytes(memory.anonymous)];
  if (memory.body === undefined) return [...amounts, ''];
  const share = memory.rss / memory.body;
  const judged = target === undefined ? '' : ` ${verdict(share, memoryTarget)}`;
  return [...amounts, `${share.toFixed(2)}${judged}`];
}

function cells(row: Row): string[] {
  const { what, times, floor, sign, target } = row;
  const ratio = times.minimum / floor.minimum;
  return [
    what,
    milliseconds(times.minimum),
    milliseconds(times.median),
    `${ratio.toFixed(2)} ${sign}`,
    `${(times.median / floor.median).toFixed(2)} ${sign}`,
    verdict(ratio, target),
    ...memoryCells(row),
  ];
}

/** A table as plain text. */
export function table(rows: readonly Row[]): string {
  const lines = [heading, ...rows.map(cells)];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      ),
    )
    .map((line) => line.join('  ').trimEnd())
    .join('\n');
}
