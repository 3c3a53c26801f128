import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { serverSuites } from '../runner/test-files.js';
import { findMongodbServer, MongodbServer } from './mongodb-server.js';
import { findNatsServer, NatsServer } from './nats-server.js';

/**
 * `npm run test:servers`: runs every `*.servers.test` file. A server whose variable is set is used as it is; the others are
 * started here, on free ports, and stopped at the end. Arguments are passed on to the runner.
 */

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

interface Startable {
  /** Tells the suites where the server is. */
  readonly variable: string;
  /** Undefined where the server's program is not on this machine. */
  readonly start: () => Promise<Running> | undefined;
}

const startable: readonly Startable[] = [
  {
    variable: 'NATS_URL',
    start: () => (findNatsServer() === undefined ? undefined : NatsServer.start()),
  },
  {
    variable: 'MONGODB_URL',
    start: () => (findMongodbServer() === undefined ? undefined : MongodbServer.start()),
  },
];

const HOW = 'run `bash .ci/servers.sh FOLDER`, and this with ROLLCALL_SERVERS_DIR=FOLDER';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function startMissing(env: NodeJS.ProcessEnv, running: Running[]): Promise<boolean> {
  let complete = true;
  for (const { variable, start } of startable) {
    if (env[variable] !== undefined) continue;
    const server = await start();
    if (server === undefined) {
      say(`${variable} is not set, and its server is not installed: ${HOW}`);
      complete = false;
      continue;
    }
    running.push(server);
    env[variable] = server.url;
    say(`${variable}=${server.url} was started for the tests`);
  }
  return complete;
}

const main = fileURLToPath(new URL('../runner/main.js', import.meta.url));

const env = { ...process.env };
const running: Running[] = [];
try {
  const complete = await startMissing(env, running);
  const runner = spawn(
    process.execPath,
    [main, ...serverSuites(), '--timeout=3600', ...process.argv.slice(2)],
    {
      env,
      stdio: 'inherit',
    },
  );
  const [code] = (await once(runner, 'exit')) as [number | null];
  process.exitCode = complete ? (code ?? 1) : 1;
} finally {
  for (const server of running) await server.stop();
}
