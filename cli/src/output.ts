import stringWidth from 'string-width';
import { problemOf } from '@rollcall/application';
import type { CliIo } from './cli-io.js';

/** Such as a missing right; its text names a path or an address. */
export const isOfSystem = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

export const causeText = (error: unknown): string => (isOfSystem(error) ? error.message : problemOf(error));

/** One object with `--json`, otherwise lines for people. */
export const answer = (io: CliIo, json: boolean, value: object, lines: readonly string[]): Promise<void> =>
  io.out(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));

/** Columns by display width, two spaces apart: `\u7f8e` is two wide, a combining accent zero. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? '')), 0),
  );
  return all.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}
