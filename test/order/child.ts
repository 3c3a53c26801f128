import { setTimeout as wait } from 'node:timers/promises';
import type { Roll } from '../faults/caller.js';
import { Program } from '../support/program.js';

/** A process that is started again whenever it was killed. */
export class Child {
  readonly #entry: string;
  readonly #env: () => NodeJS.ProcessEnv;
  #process: Program | undefined;

  constructor(entry: string, env: () => NodeJS.ProcessEnv) {
    this.#entry = entry;
    this.#env = env;
  }

  /** Resolves with the first line that it says. */
  async start(): Promise<string> {
    this.#process = new Program([this.#entry], { env: { ...process.env, ...this.#env() } });
    return this.#process.says(/^.*\n/);
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  /** Stands still for a while, as a machine does that is moved. */
  async pause(ms: number): Promise<void> {
    this.#process?.signal('SIGSTOP');
    await wait(ms);
    this.#process?.signal('SIGCONT');
  }
}

/** What processes have been through so far. */
export class Torments {
  kills = 0;
  pauses = 0;
}

/** Kills and pauses one after the other at random, two kills to a pause, until it is told to end; counted in `told`. */
export async function torment(
  children: readonly Child[],
  roll: Roll,
  options: { readonly pauseMs: number; readonly signal: AbortSignal; readonly told?: Torments },
): Promise<Torments> {
  const { signal, told = new Torments() } = options;
  while (!signal.aborted) {
    await wait(100 + roll(700));
    const child = children[roll(children.length)];
    if (!child) continue;
    if ((told.kills + told.pauses) % 3 === 1) {
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
