import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { Program } from '../support/program.js';
import type { QueueUnderTest } from './queue.suite.js';

const CHILD = fileURLToPath(new URL('./queue.child.js', import.meta.url));

/** The time that children live in is real. */
export const CHILD_DEADLINE_MS = 500;

export interface Child {
  /** What it said, without `open`; complete once the child has ended. */
  readonly said: readonly string[];
  heard(line: string): Promise<unknown>;
  /** Resolves with its first word after `open`. */
  began(): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  tell(): void;
  kill(): Promise<void>;
}

/** Starts a process that publishes, consumes or holds, and waits until its queue is open. */
export async function startChild(
  t: Test,
  under: QueueUnderTest,
  mode: 'publish' | 'consume' | 'hold',
): Promise<Child> {
  const args = [CHILD, under.adapter, under.location, String(CHILD_DEADLINE_MS), mode];
  const child = new Program(args, { stdin: true });
  t.teardown(() => child.kill());
  await child.says(/^open\.$/m);
  return {
    get said() {
      return child.lines
        .filter((line) => line.endsWith('.') && line !== 'open.')
        .map((line) => line.slice(0, -1));
    },
    heard: (line) => child.says(new RegExp(`^${line}\\.$`, 'm')),
    began: () => child.says(/^open\.\n.*\.\n/),
    signal: (signal) => child.signal(signal),
    tell: () => child.write('now\n'),
    kill: async () => {
      await child.kill();
      await child.ended;
    },
  };
}

/** Runs a child that is killed so many milliseconds after its first word; what it said. */
export async function sayUntilKilled(
  t: Test,
  under: QueueUnderTest,
  run: { readonly mode: 'publish' | 'consume'; readonly ms: number },
): Promise<readonly string[]> {
  const child = await startChild(t, under, run.mode);
  await child.began();
  await wait(run.ms);
  await child.kill();
  return child.said;
}
