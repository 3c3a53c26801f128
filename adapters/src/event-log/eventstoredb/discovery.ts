import { Metadata, type ChannelCredentials } from '@grpc/grpc-js';
import { EventLogUnavailable } from '@rollcall/application';
import { parse } from './connection-string.js';
import { detailsOf } from './failures.js';
import { gossipClient, secretsOf, viewOf } from './gossip.js';

const PROBE_MS = 1_000;

/** The client only says that it found no node: each node that the connection string names is asked once more, for the reason. */
export async function notFound(connectionString: string, cause: unknown): Promise<EventLogUnavailable> {
  const secrets = secretsOf(connectionString);
  const reasons = await Promise.all(parse(connectionString).hosts.map((host) => reasonOf(host, secrets)));
  return new EventLogUnavailable(
    `EventStoreDB is not available: no node of the cluster was found (${reasons.join('; ')})`,
    { cause },
  );
}

async function reasonOf(host: string, secrets: ChannelCredentials): Promise<string> {
  const client = gossipClient(host, secrets);
  try {
    await viewOf(client, new Metadata(), { deadline: Date.now() + PROBE_MS });
    return `${host}: names no node that can be used`;
  } catch (error) {
    return `${host}: ${detailsOf(error)}`;
  } finally {
    client.close();
  }
}
