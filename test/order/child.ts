import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Roll } from '../faults/caller.js';

/** A process that is started again whenever it was killed. */
export class Child {
  readonly #entry: string;
  readonly #env: () => NodeJS.ProcessEnv;
  #process: ReturnType<typeof spawn> | undefined;

  constructor(entry: string, env: () => NodeJS.ProcessEnv) {
    this.#entry = entry;
    this.#env = env;
  }

  /** Resolves with the first line that it says. */
  async start(): Promise<string> {
    const child = spawn(process.execPath, [this.#entry], {
      env: { ...process.env, ...this.#env() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    const said = once(child.stdout, 'data').then(([line]) => String(line));
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${this.#entry} ended before it said a word: ${code}`);
    });
    ended.catch(() => undefined);
    const line = await Promise.race([said, ended]);
    child.stdout.resume();
    return line;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Stands still for a while, as a machine does that is moved. */
  async pause(ms: number): Promise<void> {
    this.#process?.kill('SIGSTOP');
    await wait(ms);
    this.#process?.kill('SIGCONT');
  }
}

/** Kills and pauses one after the other at random until it is told to end. */
export async function torment(
  children: readonly Child[],
  roll: Roll,
  options: { readonly pauseMs: number; readonly signal: AbortSignal },
): Promise<{ kills: number; pauses: number }> {
  const told = { kills: 0, pauses: 0 };
  const { signal } = options;
  while (!signal.aborted) {
    await wait(100 + roll(700));
    const child = children[roll(children.length)];
    if (!child) continue;
    if ((told.kills + told.pauses) % 3 === 0) {
      told.pauses += 1;
      await child.pause(options.pauseMs);
    } else {
      told.kills += 1;
      await child.kill();
      await child.start();
    }
  }
  return told;
}
