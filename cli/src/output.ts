import type { CliIo } from './cli-io.js';

/** One object with `--json`, otherwise lines for people. */
export const answer = (io: CliIo, json: boolean, value: object, lines: readonly string[]): Promise<void> =>
  io.out(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));

/** Columns of equal width, two spaces apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** On one line, and without anything that moves a terminal's cursor: for what was typed by somebody else. */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
