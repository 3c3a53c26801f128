/** What the targets are set for: so many employees, and so many for how far they grow. */
export const targetSize = 100_000;
export const largeSize = 500_000;

export interface Finding {
  readonly what: string;
  readonly unit: string;
  readonly target: number;
  readonly measured: number;
  /** The target is the least; else it is the most. */
  readonly isLeast?: boolean;
}

export const verdict = (ratio: number, target: number | undefined): string =>
  target === undefined ? '' : `${ratio <= target ? 'ok' : 'short'} (${target})`;

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

/** What was measured of the targets in a run: each beside its target. It tells; nothing depends on it. */
export class Targets {
  readonly #findings: Finding[] = [];

  note(finding: Finding): void {
    this.#findings.push(finding);
  }

  /** Lines of text, in the order in which they were noted. */
  table(): string {
    const width = Math.max(0, ...this.#findings.map(({ what }) => what.length));
    return this.#findings
      .map(({ what, unit, target, measured, isLeast }) => {
        const isMet = isLeast ? measured >= target : measured <= target;
        const sides = `target ${isLeast ? 'at least ' : ''}${target} ${unit}, measured ${digits(measured)} ${unit}`;
        return `${what.padEnd(width)}  ${sides}${isMet ? '' : '  (short)'}`;
      })
      .join('\n');
  }
}

/** What every measurement is given. */
export interface Bench {
  /** A folder for its data. */
  readonly parent: string;
  readonly repetitions: number;
  readonly say: (text: string) => void;
  readonly targets: Targets;
}
