import { cp, mkdtemp, rm } from 'node:fs/promises';
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

/** The EventStoreDB stand-in as a process of its own on free loopback ports: one, or one for each node of a cluster. */
export class EventStoreDbServer {
  readonly ports: readonly number[];
  readonly #folder: string;
  readonly #options: EventStoreDbOptions;
  #child: Program;
  #orders = 0;

  private constructor(options: EventStoreDbOptions, folder: string, started: Started) {
    this.#options = options;
    this.#folder = folder;
    this.#child = started.child;
    this.ports = started.ports;
  }

  static async start(options: EventStoreDbOptions = {}): Promise<EventStoreDbServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'eventstoredb-')));
    return new EventStoreDbServer(options, folder, await startProcess(folder, [], options.args));
  }

  get port(): number {
    return this.ports[0] ?? 0;
  }

  /** `host:port` of the first node. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The connection string, with every node of a cluster. */
  get url(): string {
    return `esdb://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  }

  /** Gives an order that `main.ts` knows, and waits until it is carried out. */
  async order(name: string, ...words: readonly (string | number)[]): Promise<void> {
    const number = ++this.#orders;
    this.#child.write(`${[number, name, ...words].join(' ')}\n`);
    const answer = await this.#child.says(new RegExp(`^(done ${number}|failed ${number}: .*)\n`, 'm'));
    if (answer.startsWith('failed')) throw new Error(`${name} ${words.join(' ')}: ${answer.trim()}`);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Ends the process at once, as a power cut would; its data stays. */
  async kill(): Promise<void> {
    await this.#child.kill();
  }

  /** Starts it again on the same ports and data. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = (await startProcess(this.#folder, this.ports, this.#options.args)).child;
    this.#orders = 0;
  }

  /** Copies its data while it does not run. */
  async backUp(to: string): Promise<void> {
    await this.kill();
    await cp(this.#folder, to, { recursive: true });
    await this.restart();
  }

  /** Puts a copy in the place of its data, and starts it on that. */
  async restore(from: string): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true });
    await cp(from, this.#folder, { recursive: true });
    await this.restart();
  }

  /** The process hangs: its ports stay open, and nothing is answered. */
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
  readonly ports: readonly number[];
}

async function startProcess(
  folder: string,
  ports: readonly number[],
  args: readonly string[] = [],
): Promise<Started> {
  const given = ports.flatMap((port) => ['--port', String(port)]);
  const child = new Program([ENTRY, ...given, '--folder', folder, ...args], { stdin: true });
  const { ports: listening } = JSON.parse(await child.says(/^.*\n/)) as { ports: number[] };
  return { child, ports: listening };
}
