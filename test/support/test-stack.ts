import type { AdaptersConfig } from '@rollcall/adapters';
import type { Test } from 'tap';
import { freshPrefix } from '../conformance/queue.nats.support.js';
import { freshDatabase } from '../conformance/read-models.mongodb.support.js';
import type { ServerUrls } from '../servers/adapter-environment.js';
import { embeddedAdapters } from './embedded-adapters.js';

function givenUrl(variable: keyof ServerUrls): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error(`TEST_STACK=servers needs ${variable}`);
  return url;
}

const givenUrls = (): ServerUrls => ({
  EVENTSTOREDB_URL: givenUrl('EVENTSTOREDB_URL'),
  MONGODB_URL: givenUrl('MONGODB_URL'),
  NATS_URL: givenUrl('NATS_URL'),
});

/** Adapters of an installation of the test's own; with TEST_STACK=servers on the three servers that the variables name. */
export const testAdapters = async (t: Test, dataDir: string): Promise<AdaptersConfig> =>
  process.env['TEST_STACK'] === 'servers'
    ? serverAdapters(t, dataDir, givenUrls())
    : embeddedAdapters(dataDir);

/** Adapters on servers that others may use too; what they hold of it goes with the test. */
export const serverAdapters = async (
  t: Test,
  dataDir: string,
  urls: ServerUrls,
): Promise<AdaptersConfig> => ({
  dataDir,
  eventLog: { kind: 'eventstoredb', connectionString: urls.EVENTSTOREDB_URL },
  readModels: { kind: 'mongodb', url: freshDatabase(t, urls.MONGODB_URL) },
  queue: { kind: 'nats', url: urls.NATS_URL, replicas: 1 },
  streamPrefix: await freshPrefix(t, urls.NATS_URL),
});
