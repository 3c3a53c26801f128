import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

export interface ProgramOptions {
  /** Another program than this Node.js. */
  readonly command?: string;
  /** The whole environment; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** What it writes to stderr is kept, and not passed on too. */
  readonly quiet?: boolean;
  /** Whether it can be written to; otherwise its stdin is empty. */
  readonly stdin?: boolean;
}

const byDefault = {
  command: process.execPath,
  env: process.env,
  cwd: undefined,
  quiet: false,
  stdin: false,
};

/** How it ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process that a test starts. It does not outlive the test's own. */
export class Program {
  /** Once all that it wrote was read; rejects where it could not be started. */
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #out = '';
  #err = '';

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    const { command, env, cwd, quiet, stdin } = { ...byDefault, ...options };
    const child = spawn(command, args, { env, cwd, stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
      if (!quiet) process.stderr.write(text);
    });
    this.#exited = once(child, 'exit');
    this.ended = once(child, 'close').then(() => {
      const { exitCode: code, signalCode: signal } = child;
      return { code, signal, out: this.#out, err: this.#err };
    });
    for (const told of [this.#exited, this.ended]) told.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What it wrote to stdout until now. */
  get out(): string {
    return this.#out;
  }

  /** What it wrote to stderr until now. */
  get errors(): string {
    return this.#err;
  }

  /** The whole lines of it: without the last one where that was cut off. */
  get lines(): string[] {
    return this.#out.split('\n').slice(0, -1);
  }

  /** What it has said or says on stdout that looks so; rejects, with its stderr, when it ends without or is late. */
  async says(what: RegExp, withinMs = 60_000): Promise<string> {
    const over = new AbortController();
    const found = (async (): Promise<string> => {
      for (;;) {
        const [said] = what.exec(this.#out) ?? [];
        if (said !== undefined) return said;
        await once(this.#child.stdout ?? this.#child, 'data', { signal: over.signal });
      }
    })();
    const ended = this.ended.then(({ code, signal, out, err }) => {
      const [said] = what.exec(out) ?? [];
      if (said !== undefined) return said;
      throw new Error(`The process ended before it said ${what}: ${code ?? signal}\n${err}`);
    });
    const late = wait(withinMs, undefined, { ref: false, signal: over.signal }).then(() => {
      throw new Error(`The process did not say ${what} within ${withinMs} ms\n${this.#err}`);
    });
    for (const each of [found, ended, late]) each.catch(() => undefined);
    return Promise.race([found, ended, late]).finally(() => over.abort());
  }

  write(text: string): void {
    this.#child.stdin?.write(text);
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
    await this.#exited;
    return this.#child.exitCode;
  }
}
