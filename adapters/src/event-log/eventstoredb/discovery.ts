import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { credentials, Metadata, type ChannelCredentials } from '@grpc/grpc-js';
import { EventLogUnavailable } from '@rollcall/application';
import { parse } from './connection-string.js';

const PROBE_MS = 1_000;

/** The client only says that it found no node: each node that the connection string names is asked once more, for the reason. */
export async function notFound(connectionString: string, cause: unknown): Promise<EventLogUnavailable> {
  const { hosts, tls, authority = null, key = null, certificate = null } = parse(connectionString);
  const secrets = tls ? credentials.createSsl(authority, key, certificate) : credentials.createInsecure();
  const reasons = await Promise.all(hosts.map((host) => reasonOf(host, secrets)));
  return new EventLogUnavailable(
    `EventStoreDB is not available: no node of the cluster was found (${reasons.join('; ')})`,
    { cause },
  );
}

function reasonOf(host: string, secrets: ChannelCredentials): Promise<string> {
  const client = new gossipServices.GossipClient(host, secrets, {});
  const options = { deadline: Date.now() + PROBE_MS };
  return new Promise((resolve) => {
    client.read(new shared.Empty(), new Metadata(), options, (error) => {
      client.close();
      resolve(`${host}: ${error === null ? 'names no node that can be used' : error.details.slice(0, 200)}`);
    });
  });
}
