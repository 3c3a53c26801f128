import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from './binaries.js';
import { freePort } from './free-port.js';
import { until } from '../support/until.js';

const READY_WITHIN_MS = 20_000;

export const findNatsServer = (): string | undefined => findBinary('nats-server');

export interface NatsServerOptions {
  /** Further lines of the server's configuration, such as users or TLS. */
  readonly config?: string;
}

/** A NATS server with JetStream on a free port of 127.0.0.1, synced as in production, its data in a temporary folder. */
export class NatsServer {
  readonly port: number;
  readonly #folder: string;
  readonly #config: string;
  #child: ChildProcess | undefined;

  static async start(options: NatsServerOptions = {}): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), options.config ?? '');
    await server.start();
    return server;
  }

  private constructor(port: number, config: string) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), 'rollcall-nats-'));
    this.#config = join(this.#folder, 'nats.conf');
    const store = JSON.stringify(this.#store);
    const jetstream = `jetstream { store_dir: ${store}, sync_interval: always }`;
    writeFileSync(this.#config, `listen: "127.0.0.1:${port}"\n${jetstream}\n${config}\n`);
  }

  get #store(): string {
    return join(this.#folder, 'jetstream');
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts it (again) on the same port and data, and waits until it listens. */
  async start(): Promise<void> {
    const binary = findNatsServer();
    if (binary === undefined) throw new Error('There is no nats-server');
    const child = spawn(binary, ['-c', this.#config], { stdio: 'ignore' });
    this.#child = child;
    process.once('exit', this.#killNow);
    const isThere = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      return listens(this.port);
    };
    await until('nats-server listens', isThere, { withinMs: READY_WITHIN_MS });
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

  /** Stops it until `goOn`; resolves when none of its threads runs any more, which takes a moment on a busy machine. */
  async pause(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    const stands = (): boolean => !runs(this.#child?.pid);
    await until('nats-server stands still', stands, { withinMs: READY_WITHIN_MS, everyMs: 5 });
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Takes away what it stored; it must not be running. */
  wipe(): void {
    rmSync(this.#store, { recursive: true, force: true });
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #killNow = (): void => {
    this.#child?.kill('SIGKILL');
  };
}

/** Whether a thread of the process is not stopped, as Linux says. */
function runs(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return false;
  return readdirSync(tasks).some(
    (task) => !/\) [tTZX] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')),
  );
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
