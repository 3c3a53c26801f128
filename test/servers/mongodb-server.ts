import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from './binaries.js';
import { freePort } from './free-port.js';
import { until } from '../support/until.js';

const READY_WITHIN_MS = 20_000;

/** FerretDB as `.ci/servers.sh` builds it. */
export const findMongodbServer = (): string | undefined => findBinary('rollcall-ferretdb');

/** A server that speaks MongoDB's wire protocol, on a free port of 127.0.0.1, its data in a temporary folder. */
export class MongodbServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'rollcall-mongodb-'));
  #child: ChildProcess | undefined;

  static async start(): Promise<MongodbServer> {
    const server = new MongodbServer(await freePort());
    await server.start();
    return server;
  }

  private constructor(port: number) {
    this.port = port;
  }

  /** Without a database. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.port}`;
  }

  /** Starts it (again) on the same port and data, and waits until it answers. */
  async start(): Promise<void> {
    const binary = findMongodbServer();
    if (binary === undefined) throw new Error('There is no rollcall-ferretdb');
    const child = spawn(binary, this.#arguments(), { stdio: 'ignore', cwd: this.#folder });
    this.#child = child;
    process.once('exit', this.#killNow);
    const isThere = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`FerretDB ended with ${child.exitCode}`);
      return answers(this.url);
    };
    await until('FerretDB answers', isThere, { withinMs: READY_WITHIN_MS });
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

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #arguments(): string[] {
    const settings = {
      handler: 'sqlite',
      // What was answered survives the end of the process; a power cut is not what the tests are about.
      'sqlite-url': `file:${this.#folder}/?_pragma=synchronous(off)`,
      'state-dir': this.#folder,
      'listen-addr': `127.0.0.1:${this.port}`,
      'repl-set-name': 'rollcall',
      'debug-addr': '-',
      telemetry: 'disable',
      'log-level': 'ERROR',
    };
    return Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  }

  readonly #killNow = (): void => {
    this.#child?.kill('SIGKILL');
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}
