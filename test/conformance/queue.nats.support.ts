import { randomBytes } from 'node:crypto';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import t, { type Test } from 'tap';
import { findNatsServer, NatsServer } from '../servers/nats-server.js';
import { skipWithout } from '../servers/skip-without.js';

const HOW = 'set NATS_URL or run `bash .ci/servers.sh FOLDER` with ROLLCALL_SERVERS_DIR=FOLDER';

/** Why suites that need any server are skipped, false where they run. */
export const skipWithoutNats = skipWithout(
  process.env['NATS_URL'] === undefined && findNatsServer() === undefined && `no NATS server: ${HOW}`,
);

/** Why suites that stop and start a server are skipped, false where they run. */
export const skipWithoutOwnNats = skipWithout(
  findNatsServer() === undefined && 'no nats-server to start and stop: run `bash .ci/servers.sh`',
);

/** The server of NATS_URL, or one of our own for the rest of the file. */
export async function natsUrl(): Promise<string> {
  const given = process.env['NATS_URL'];
  if (given !== undefined) return given;
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  return server.url;
}

export async function connectTo(
  t: Test,
  url: string,
): Promise<{ nc: NatsConnection; jsm: JetStreamManager }> {
  const { username, password, host } = new URL(url);
  const nc = await connect({ servers: host, ...(username !== '' && { user: username, pass: password }) });
  t.teardown(() => nc.close());
  return { nc, jsm: await nc.jetstreamManager() };
}

/** The prefix of an installation of the test's own; its streams go with the test. */
export async function freshPrefix(t: Test, url: string): Promise<string> {
  const prefix = `test-${randomBytes(6).toString('hex')}-`;
  const { jsm } = await connectTo(t, url);
  t.teardown(async () => {
    for (const queue of ['imports', 'invitations']) {
      await jsm.streams.delete(`${prefix}rollcall-${queue}`).catch(() => false);
    }
  });
  return prefix;
}
