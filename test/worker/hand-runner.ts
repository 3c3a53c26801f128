import type { RunOptions, RunResult } from '@rollcall/application';

export interface Look {
  readonly companyId: number;
  readonly options: RunOptions | undefined;
  answer(result: RunResult): void;
  fail(error: unknown): void;
}

const operationId = '01890000-0000-7000-8000-000000000001';

export const idle = (companyId: number, unknown = false, upTo = 9): RunResult => ({
  kind: 'idle',
  companyId,
  upTo,
  unknown,
});

export const ended = (companyId: number, outcome: 'done' | 'failed' | 'elsewhere' = 'done'): RunResult => ({
  kind: 'ended',
  companyId,
  operationId,
  importKind: 'employees',
  outcome,
  ...(outcome === 'failed' && { reason: 'gave up after 3 attempts' }),
});

export const attemptFailed = (companyId: number, attempt = 1): RunResult => ({
  kind: 'attempt-failed',
  companyId,
  operationId,
  importKind: 'managers',
  attempt,
  problem: 'the payload in payload-1 is not what was queued',
});

export const mustRunAlone = (companyId: number): RunResult => ({
  kind: 'must-run-alone',
  companyId,
  operationId,
  importKind: 'employees',
  starts: 2,
});

/** A runner whose looks the test answers. */
export class HandRunner {
  /** Companies that were looked at, in order. */
  readonly looked: number[] = [];
  readonly #looks: Look[] = [];
  #arrived: () => void = () => undefined;

  runOldest(companyId: number, options?: RunOptions): Promise<RunResult> {
    this.looked.push(companyId);
    return new Promise((answer, fail) => {
      this.#looks.push({ companyId, options, answer, fail });
      this.#arrived();
    });
  }

  /** The first look that was not answered, once there is one. */
  async look(): Promise<Look> {
    for (;;) {
      const look = this.#looks.shift();
      if (look) return look;
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }
}
