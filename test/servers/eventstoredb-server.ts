import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Program } from '../support/program.js';

const ENTRY = fileURLToPath(new URL('./eventstoredb-stand-in/main.js', import.meta.url));

export interface EventStoreDbOptions {
  /** Where the data lies; a temporary folder, removed at the end, where it is not given. */
  readonly folder?: string;
  /** Further arguments of the stand-in, as its `main.ts` takes them. */
  readonly args?: readonly string[];
}

/** The EventStoreDB stand-in as a process of its own on a free loopback port. */
export class EventStoreDbServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: EventStoreDbOptions;
  #child: Program;

  private constructor(options: EventStoreDbOptions, folder: string, started: Started) {
    this.#options = options;
    this.#folder = folder;
    this.#child = started.child;
    this.port = started.port;
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
    await this.#child.kill();
  }

  /** Starts it again on the same port and data. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = (await startProcess(this.#folder, this.port, this.#options.args)).child;
  }

  /** The process hangs: its port stays open, and nothing is answered. */
  pause(): void {
    this.#child.signal('SIGSTOP');
  }

  resume(): void {
    this.#child.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    if (this.#options.folder === undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Started {
  readonly child: Program;
  readonly port: number;
}

async function startProcess(folder: string, port: number, args: readonly string[] = []): Promise<Started> {
  const child = new Program([ENTRY, '--port', String(port), '--folder', folder, ...args], { stdin: true });
  const { port: listening } = JSON.parse(await child.says(/^.*\n/)) as { port: number };
  return { child, port: listening };
}
