import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { bundleOf } from '../support/bundles.js';

/** The processes of the service; `standalone` is what `npm start` runs. */
export type Part = 'standalone' | 'api' | 'projector' | 'worker';

export const entryOf = (part: Part): string => bundleOf(part);

export interface ChildOptions {
  readonly dataDir: string;
  /** The program: a part of the service, or another file. */
  readonly entry: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Loaded before the program. */
  readonly preload?: string;
}

/** A process of the service, on a free port. What it writes to stderr is passed on. */
export class ChildProcess {
  readonly #child: ChildProcessByStdio<null, Readable, null>;
  readonly #ended: Promise<unknown>;
  readonly #killNow = (): boolean => this.#child.kill('SIGKILL');
  #said = '';

  constructor({ dataDir, entry, env, preload }: ChildOptions) {
    const before = preload === undefined ? [] : ['--import', preload];
    this.#child = spawn(process.execPath, [...before, entry], {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'error',
        RATE_LIMIT_PER_MINUTE: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#ended = once(this.#child, 'exit');
    process.once('exit', this.#killNow);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Where it serves its metrics and health, once it has said so; only with METRICS_PORT. */
  get operationsUrl(): string | undefined {
    return /Metrics are on (\S+)\/metrics/.exec(this.#said)?.[1];
  }

  /** What it says on stdout that looks so; rejects when it ends without. What it says later is let go. */
  async says(what: RegExp, withinMs: number): Promise<string> {
    const said = new Promise<string>((resolve, reject) => {
      this.#child.once('exit', (code) => reject(new Error(`The process ended before it ran: ${code}`)));
      this.#child.stdout.on('data', (chunk: Buffer) => {
        if (this.#said.length < 10_000) this.#said += chunk.toString();
        const [found] = what.exec(this.#said) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const late = wait(withinMs, undefined, { ref: false }).then(() => {
      throw new Error(`The process did not run within ${withinMs} ms`);
    });
    return Promise.race([said, late]);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it as an operator does; resolves with the exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.hasEnded) this.#child.kill(signal);
    await this.#ended;
    process.removeListener('exit', this.#killNow);
    return this.#child.exitCode;
  }
}

const readyWithinMs = 60_000;

/** Starts a projector or a worker and waits until it does its work. */
export async function startChild(
  part: 'projector' | 'worker',
  options: Omit<ChildOptions, 'entry'>,
): Promise<ChildProcess> {
  const child = new ChildProcess({ ...options, entry: entryOf(part) });
  try {
    await child.says(/ runs\n/, readyWithinMs);
    return child;
  } catch (error) {
    await child.kill();
    throw error;
  }
}
