import { join } from 'node:path';
import { root } from '../runner/test-files.js';
import { until } from '../support/until.js';
import { command } from './command.js';
import type { Engine } from './engine.js';

const startsWithinMs = 240_000;
/** Of each thing that an unwell container says: a failure's text has to stay short enough to be shown whole. */
const reasonLength = 400;

const stateFormat =
  '{{.State.Status}}, exit code {{.State.ExitCode}} {{.State.Error}}, {{.RestartCount}} restarts, ' +
  '{{with .State.Health}}{{.Status}}, {{.FailingStreak}} failed checks{{range .Log}}, {{.ExitCode}} {{.Output}}{{end}}{{end}}';

export const services = ['api', 'projector', 'worker'] as const;
export const servers = ['eventstoredb', 'mongodb', 'nats'] as const;

const files = ['docker-compose.yml', 'test/image/servers.compose.yml'].map((name) => join(root, name));

/** The compose file as it ships, with the servers that the tests have. */
export class Stack {
  readonly engine: Engine;
  readonly project: string;
  readonly #variables: NodeJS.ProcessEnv;

  /** With variables of the compose file. */
  constructor(engine: Engine, project: string, variables: NodeJS.ProcessEnv = {}) {
    this.engine = engine;
    this.project = project;
    this.#variables = variables;
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ...this.engine.env,
      COMPOSE_PROJECT_NAME: this.project,
      COMPOSE_FILE: files.join(':'),
      ...this.#variables,
    };
  }

  compose(...args: string[]): Promise<string> {
    return command(['docker-compose', ...args], { env: this.env, cwd: root, withinMs: 900_000 });
  }

  /** `docker compose run --rm -T rollcall ...`; its stdout. Rejects where it ends with another code than 0. */
  rollcall(...args: string[]): Promise<string> {
    return this.compose('run', '--rm', '-T', 'rollcall', ...args);
  }

  /** Starts everything with so many apis and workers. */
  up(count = 3): Promise<string> {
    return this.compose('up', '--detach', '--scale', `api=${count}`, '--scale', `worker=${count}`);
  }

  /** The ids of a service's containers. */
  containers(service: string): Promise<string[]> {
    return this.#ps('{{.ID}}', [`service=${service}`]);
  }

  /** A line for each container that is no single command's. Asked of the engine: compose begins a second later. */
  async #ps(format: string, labels: readonly string[] = []): Promise<string[]> {
    const filters = [`project=${this.project}`, 'oneoff=False', ...labels].map(
      (label) => `--filter=label=com.docker.compose.${label}`,
    );
    const lines = await this.engine.docker('ps', '--all', ...filters, '--format', format);
    return lines.split('\n').filter((line) => line !== '');
  }

  /** The api's addresses where the engine publishes them. */
  async urls(): Promise<string[]> {
    const ids = await this.containers('api');
    const ports = await Promise.all(ids.map((id) => this.engine.docker('port', id, '3000').catch(() => '')));
    return ports.map((line) => line.trim()).flatMap((address) => (address === '' ? [] : `http://${address}`));
  }

  /** Companies from 1 on for these API users, which are new; their tokens. */
  async companies(users: readonly number[]): Promise<string[]> {
    const commands = users.flatMap((user, index) => [
      `rollcall company configure --company ${index + 1} --integration on >&2`,
      `rollcall user add --company ${index + 1} --name HR --role HRIntegration >&2`,
      `rollcall token issue --user ${user}`,
    ]);
    const run = ['run', '--rm', '-T', '--entrypoint', 'sh', 'rollcall', '-ec', commands.join('\n')];
    return (await this.compose(...run)).trim().split('\n');
  }

  async inspect(id: string, format: string): Promise<string> {
    return (await this.engine.docker('inspect', '--format', format, id)).trim();
  }

  /** Waits until each container of these is healthy. */
  async untilHealthy(names: readonly string[] = [...services, ...servers]): Promise<void> {
    const format = '{{.Label "com.docker.compose.service"}} {{.ID}} {{.Status}}';
    let last: readonly string[] = [];
    const asked = (): string[] => last.filter((line) => names.includes(line.split(' ')[0] ?? ''));
    const isHealthy = (line: string): boolean => line.includes('(healthy)');
    const areHealthy = async (): Promise<boolean> => {
      last = await this.#ps(format);
      return asked().length >= names.length && asked().every(isHealthy);
    };
    await until('everything is healthy', areHealthy, { withinMs: startsWithinMs, everyMs: 500 }).catch(
      async (error: unknown) => {
        const unwell = asked().filter((line) => !isHealthy(line));
        const reasons = await Promise.all(unwell.map((line) => this.#reasonOf(line)));
        throw new Error([String(error), ...reasons].join('\n'));
      },
    );
  }

  /** Of a container of `docker ps` that is not healthy: its state, what it answers, and what it said last. */
  async #reasonOf(line: string): Promise<string> {
    const [service, id = ''] = line.split(' ');
    const port = service === 'api' ? 3000 : 9464;
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /health/ready HTTP/1.0\\r\\n\\r\\n' >&3; tail -1 <&3`;
    const found = await Promise.all([
      this.inspect(id, stateFormat).catch(String),
      this.engine.docker('exec', id, 'timeout', '10', 'bash', '-c', ask).catch(String),
      this.engine.docker('logs', '--tail=3', id).catch(String),
    ]);
    return [line, ...found.map((text) => text.slice(-reasonLength))].join('\n');
  }
}
