import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('./eventstoredb-stand-in/main.js', import.meta.url));

export interface EventStoreDbOptions {
  /** Where the data lies; a temporary folder, removed at the end, where it is not given. */
  readonly folder?: string;
  /** Further arguments of the stand-in, as its `main.ts` takes them. */
  readonly args?: readonly string[];
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** The EventStoreDB stand-in as a process of its own on a free loopback port. */
export class EventStoreDbServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: EventStoreDbOptions;
  readonly #killNow = (): void => {
    this.#child.kill('SIGKILL');
  };
  #child: Child;

  private constructor(options: EventStoreDbOptions, folder: string, started: Started) {
    this.#options = options;
    this.#folder = folder;
    this.#child = started.child;
    this.port = started.port;
    process.once('exit', this.#killNow);
  }

  static async start(options: EventStoreDbOptions = {}): Promise<EventStoreDbServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'eventstoredb-')));
    return new EventStoreDbServer(options, folder, await startProcess(folder, 0, options.args));
  }

  /** The connection string. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Ends the process at once, as a power cut would; its data stays. */
  async kill(): Promise<void> {
    await end(this.#child, 'SIGKILL');
  }

  /** Starts it again on the same port and data. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = (await startProcess(this.#folder, this.port, this.#options.args)).child;
  }

  /** The process hangs: its port stays open, and nothing is answered. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    process.removeListener('exit', this.#killNow);
    await this.kill();
    if (this.#options.folder === undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Started {
  readonly child: Child;
  readonly port: number;
}

async function startProcess(folder: string, port: number, args: readonly string[] = []): Promise<Started> {
  const child = spawn(process.execPath, [ENTRY, '--port', String(port), '--folder', folder, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>,
    once(child, 'exit').then(([code]) => {
      throw new Error(`The EventStoreDB stand-in ended before it listened: ${String(code)}`);
    }),
  ]);
  const { port: listening } = JSON.parse(said[0]) as { port: number };
  return { child, port: listening };
}

async function end(child: Child, signal: 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
