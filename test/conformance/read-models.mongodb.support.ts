import { randomBytes } from 'node:crypto';
import { MongoClient, type Db } from 'mongodb';
import t, { type Test } from 'tap';
import { findMongodbServer, MongodbServer } from '../servers/mongodb-server.js';
import { skipWithout } from '../servers/skip-without.js';

const HOW = 'set MONGODB_URL or run `bash .ci/servers.sh FOLDER` with ROLLCALL_SERVERS_DIR=FOLDER';

/** Why suites that need any server are skipped, false where they run. */
export const skipWithoutMongodb = skipWithout(
  process.env['MONGODB_URL'] === undefined &&
    findMongodbServer() === undefined &&
    `no MongoDB server: ${HOW}`,
);

/** The server of MONGODB_URL, or one of our own for the rest of the file. */
export async function mongodbUrl(): Promise<string> {
  const given = process.env['MONGODB_URL'];
  if (given !== undefined) return given;
  const server = await MongodbServer.start();
  t.teardown(() => server.stop());
  return server.url;
}

/** The URL of a database of the test's own, which goes with the test. */
export function freshDatabase(t: Test, url: string): string {
  const own = withDatabase(url, `test-${randomBytes(6).toString('hex')}`);
  t.teardown(async () => {
    const client = new MongoClient(own);
    await client.db().dropDatabase();
    await client.close();
  });
  return own;
}

/** The same server's URL with another path. */
export function withDatabase(url: string, database: string): string {
  const [, server = '', options = ''] = /^(\w[^/]*:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? [];
  return `${server}/${database}${options}`;
}

/** The database behind a URL, as anybody could look into it. */
export function databaseAt(t: Test, url: string): Db {
  const client = new MongoClient(url);
  t.teardown(() => client.close());
  return client.db();
}
