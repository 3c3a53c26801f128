import { spawn } from 'node:child_process';
import { once } from 'node:events';

const { EVENTSTOREDB_URL: url, EVENTSTOREDB_START: start, EVENTSTOREDB_STOP: stop } = process.env;

/** What of a server these tests need. */
export interface TestedServer {
  /** The connection string. */
  readonly url: string;
  /** `host:port` */
  readonly address: string;
  readonly port: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/**
 * The server that `EVENTSTOREDB_URL` names; undefined where the tests are of the stand-in. `EVENTSTOREDB_STOP` and
 * `EVENTSTOREDB_START` are commands for the shell, which end and start it at once.
 */
export const realServer: TestedServer | undefined = url === undefined ? undefined : serverAt(url);

/** The test is of something that nobody can tell a real server to do. */
export const STAND_IN_ONLY = { skip: url !== undefined && 'only the stand-in can be told to do so' };

/** The test ends and starts the server. */
export const RESTARTS = {
  skip:
    url !== undefined &&
    (start === undefined || stop === undefined) &&
    'EVENTSTOREDB_STOP and EVENTSTOREDB_START do not say how to restart the server',
};

/** The test speaks to the server without the client, and without TLS. */
export const WIRE = { skip: url?.includes('tls=false') === false && 'not over TLS' };

function serverAt(text: string): TestedServer {
  const address = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^/?,]+)/.exec(text)?.[1] ?? '';
  const kill = (): Promise<void> => shell(stop);
  const restart = async (): Promise<void> => {
    await kill();
    await shell(start);
  };
  return { url: text, address, port: Number(address.split(':')[1] ?? 2113), kill, restart };
}

/** What the command leaves running does not hold it up. */
async function shell(command = 'false'): Promise<void> {
  const [code] = (await once(spawn('/bin/sh', ['-c', command], { stdio: 'ignore' }), 'exit')) as [number];
  if (code !== 0) throw new Error(`\`${command}\` ended with ${code}`);
}
