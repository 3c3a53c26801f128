import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.js';
import { findBinary } from './binaries.js';
import { freePort } from './free-port.js';

/** How long it may take to answer after its start, and to stand still. */
export const READY_WITHIN_MS = 60_000;

/** Somebody else may take a port before a server has it: so many are tried. */
const PORTS = 3;

/** A server of our own as a process, its data in a temporary folder. */
export abstract class BinaryServer {
  readonly port: number;
  protected readonly folder: string;
  readonly #name: string;
  #child: ChildProcess | undefined;

  /** Of a binary of this name, on a free port of 127.0.0.1. */
  protected constructor(name: string, port: number) {
    this.#name = name;
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), `rollcall-${name}-`));
  }

  /** One that was started on a port that was free. */
  protected static async started<S extends BinaryServer>(on: (port: number) => S): Promise<S> {
    for (let tried = 1; ; tried += 1) {
      const server = on(await freePort());
      try {
        await server.start();
        return server;
      } catch (error) {
        await server.stop();
        if (tried === PORTS) throw error;
      }
    }
  }

  /** What it is started with. */
  protected abstract get arguments(): readonly string[];
  protected abstract answers(): Promise<boolean>;

  /** Starts it (again) on the same port and data, and waits until it answers. */
  async start(): Promise<void> {
    const binary = findBinary(this.#name);
    if (binary === undefined) throw new Error(`There is no ${this.#name}`);
    const child = spawn(binary, this.arguments, { stdio: 'ignore', cwd: this.folder });
    this.#child = child;
    process.once('exit', this.#killNow);
    const isThere = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`${this.#name} ended with ${child.exitCode}`);
      return this.answers();
    };
    await until(`${this.#name} answers`, isThere, { withinMs: READY_WITHIN_MS });
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    process.removeListener('exit', this.#killNow);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  protected get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  readonly #killNow = (): void => {
    this.#child?.kill('SIGKILL');
  };
}
