import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.js';
import { command, type CommandOptions } from './command.js';

/** Debian's programs, whatever else is on the PATH. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const startsWithinMs = 60_000;

/** Why there can be no engine here; undefined where the programs are there. */
export function missingForEngine(): string | undefined {
  const missing = ['/usr/sbin/dockerd', '/usr/bin/docker', '/usr/bin/docker-compose'].filter(
    (path) => !existsSync(path),
  );
  if (process.getuid?.() !== 0) return 'a Docker engine of its own needs root';
  return missing.length === 0
    ? undefined
    : `no ${missing.join(', ')}: run \`bash .ci/image.sh FOLDER\` as root`;
}

/** The engine's programs are there, and it does not start: the text says why. */
export class EngineDoesNotStart extends Error {
  override readonly name = 'EngineDoesNotStart';
}

/**
 * A Docker engine of our own, with everything of it in one folder. For building it is on the host's network and makes
 * no network itself; for running it has a network namespace to itself, so that neither its addresses nor its rules are the
 * host's. It ends with the process that started it.
 */
export class Engine {
  readonly folder: string;
  readonly #isApart: boolean;
  readonly #daemon: ChildProcess;
  #said = '';

  private constructor(folder: string, isApart: boolean) {
    this.folder = folder;
    this.#isApart = isApart;
    // Each program becomes the next: the process id is dockerd's, which ends with its parent, and its containers with it.
    const daemon = `exec setpriv --pdeathsig TERM dockerd ${this.#flags.join(' ')}`;
    const [name = '', ...args] = isApart
      ? ['unshare', '--net', 'sh', '-c', `ip link set lo up && ${daemon}`]
      : ['sh', '-c', daemon];
    this.#daemon = spawn(name, args, { env: { ...process.env, PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#daemon.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  static async start(folder: string, { apart }: { readonly apart: boolean }): Promise<Engine> {
    await mkdir(folder, { recursive: true });
    const engine = new Engine(folder, apart);
    const answers = async (): Promise<boolean> => {
      if (engine.#hasEnded)
        throw new EngineDoesNotStart(engine.#said.trim().split('\n').slice(-5).join('\n'));
      return engine.docker('version').then(
        () => true,
        () => false,
      );
    };
    await until('the Docker engine answers', answers, { withinMs: startsWithinMs, everyMs: 200 });
    return engine;
  }

  get #flags(): string[] {
    const place = (name: string): string => join(this.folder, name);
    const own = {
      host: `unix://${place('docker.sock')}`,
      'data-root': place('data'),
      'exec-root': place('exec'),
    };
    const flags = { ...own, pidfile: place('pid'), bridge: 'none', 'log-level': 'warn' };
    const outside = this.#isApart ? [] : ['--iptables=false', '--ip6tables=false', '--ip-forward=false'];
    return [...Object.entries(flags).map(([name, value]) => `--${name}=${value}`), ...outside];
  }

  /** What its clients need. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, PATH, DOCKER_HOST: `unix://${join(this.folder, 'docker.sock')}` };
  }

  docker(...args: string[]): Promise<string> {
    return command(['docker', ...args], { env: this.env, withinMs: 300_000 });
  }

  /** The words that run a command where the published ports are. */
  inside(...words: string[]): string[] {
    return ['nsenter', `--net=/proc/${this.#daemon.pid}/ns/net`, '--', ...words];
  }

  /** Runs a script of bash there. */
  script(text: string, { env, ...options }: CommandOptions = {}): Promise<string> {
    const words = this.inside('bash', '-euo', 'pipefail', '-c', text);
    return command(words, { env: { ...this.env, ...env }, ...options });
  }

  /** Ends it with all its containers; its images and volumes stay. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    this.#daemon.kill('SIGTERM');
    await once(this.#daemon, 'exit');
  }

  /** Ends it, and removes everything. */
  async remove(): Promise<void> {
    await this.stop();
    for (const place of await this.#mounted()) await command(['umount', place]);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What the engine left mounted, the innermost first. */
  async #mounted(): Promise<string[]> {
    const places = (await readFile('/proc/mounts', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    return places.filter((place) => place.startsWith(`${this.folder}/`)).reverse();
  }

  get #hasEnded(): boolean {
    return this.#daemon.exitCode !== null || this.#daemon.signalCode !== null;
  }
}
