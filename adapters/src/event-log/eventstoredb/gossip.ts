import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import {
  credentials,
  type CallOptions,
  type ChannelCredentials,
  type Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { parse } from './connection-string.js';

/** `host:port`, by the nodes' own names. */
export type Node = string;

export interface View {
  readonly nodes: readonly Node[];
  readonly leader: Node | undefined;
}

export type GossipClient = InstanceType<typeof gossipServices.GossipClient>;

const { LEADER } = gossip.MemberInfo.VNodeState;

export function secretsOf(connectionString: string): ChannelCredentials {
  const { tls, authority = null, key = null, certificate = null } = parse(connectionString);
  return tls ? credentials.createSsl(authority, key, certificate) : credentials.createInsecure();
}

/** Shares no connection with other clients. */
export const gossipClient = (node: Node, secrets: ChannelCredentials): GossipClient =>
  new gossipServices.GossipClient(node, secrets, { 'grpc.use_local_subchannel_pool': 1 });

export const viewOf = (client: GossipClient, metadata: Metadata, options: CallOptions): Promise<View> =>
  new Promise((resolve, reject) => {
    client.read(new shared.Empty(), metadata, options, (error: ServiceError | null, info) =>
      error === null ? resolve(viewIn(info)) : reject(error),
    );
  });

function viewIn(info: gossip.ClusterInfo): View {
  const members = info.getMembersList().map((member) => ({
    node: nodeOf(member.getHttpEndPoint()),
    leads: member.getIsAlive() && member.getState() === LEADER,
  }));
  return { nodes: members.map(({ node }) => node), leader: members.find(({ leads }) => leads)?.node };
}

const nodeOf = (endpoint: gossip.EndPoint | undefined): Node =>
  `${endpoint?.getAddress() ?? ''}:${endpoint?.getPort() ?? 0}`;
