import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { until } from '../support/until.js';
import { findBinary } from './binaries.js';
import { BinaryServer, READY_WITHIN_MS } from './binary-server.js';

const NAME = 'nats-server';

export const findNatsServer = (): string | undefined => findBinary(NAME);

export interface NatsServerOptions {
  /** Further lines of the server's configuration, such as users or TLS. */
  readonly config?: string;
}

/** A NATS server with JetStream on a free port of 127.0.0.1, synced as in production, its data in a temporary folder. */
export class NatsServer extends BinaryServer {
  static start({ config = '' }: NatsServerOptions = {}): Promise<NatsServer> {
    return BinaryServer.started((port) => new NatsServer(port, config));
  }

  private constructor(port: number, config: string) {
    super(NAME, port);
    const store = JSON.stringify(this.#store);
    const jetstream = `jetstream { store_dir: ${store}, sync_interval: always }`;
    const name = `server_name: ${JSON.stringify(basename(this.folder))}`;
    writeFileSync(this.#config, `${name}\nlisten: "127.0.0.1:${port}"\n${jetstream}\n${config}\n`);
  }

  get #store(): string {
    return join(this.folder, 'jetstream');
  }

  get #config(): string {
    return join(this.folder, 'nats.conf');
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  protected override get arguments(): readonly string[] {
    return ['-c', this.#config];
  }

  protected override async answers(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      const [info] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer];
      // Another server may have taken the port.
      return info.includes(basename(this.folder));
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  /** Stops it until `goOn`; resolves when none of its threads runs any more, which takes a moment on a busy machine. */
  async pause(): Promise<void> {
    this.signal('SIGSTOP');
    const stands = (): boolean => !runs(this.pid);
    await until('nats-server stands still', stands, { withinMs: READY_WITHIN_MS, everyMs: 5 });
  }

  goOn(): void {
    this.signal('SIGCONT');
  }

  /** Takes away what it stored; it must not be running. */
  wipe(): void {
    rmSync(this.#store, { recursive: true, force: true });
  }
}

/** Whether a thread of the process is not stopped, as Linux says. */
function runs(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return false;
  return readdirSync(tasks).some(
    (task) => !/\) [tTZX] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')),
  );
}
