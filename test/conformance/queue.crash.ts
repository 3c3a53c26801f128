import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { QueueUnderTest } from './queue.suite.js';

const CHILD = fileURLToPath(new URL('./queue.child.js', import.meta.url));

/** The time that children live in is real. */
export const CHILD_DEADLINE_MS = 500;

export interface Child {
  /** What it said, without `open`; complete once the child has ended. */
  readonly said: readonly string[];
  heard(line: string): Promise<void>;
  /** Resolves with its first word after `open`. */
  began(): Promise<void>;
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
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (line.endsWith('.')) said.push(line.slice(0, -1));
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  const until = async (ready: () => boolean): Promise<void> => {
    while (!ready()) {
      if (child.exitCode !== null) throw new Error(`The child ended after ${said.length} words`);
      await Promise.race([once(lines, 'line'), once(child, 'exit')]);
    }
  };
  await until(() => said.includes('open'));
  said.shift();
  return {
    said,
    heard: (line) => until(() => said.includes(line)),
    began: () => until(() => said.length > 0),
    signal: (signal) => child.kill(signal),
    tell: () => child.stdin.write('now\n'),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
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
