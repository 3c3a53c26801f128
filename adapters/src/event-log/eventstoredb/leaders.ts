import { NotLeaderError, type EventStoreDBClient } from '@eventstore/db-client';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Metadata, status, type Client } from '@grpc/grpc-js';
import { coreOf, type ClientCore } from './client-core.js';

/** `host:port`, as the nodes call themselves. */
type Node = string;

/** Who is in the cluster and who leads, as one node sees it. */
interface View {
  readonly nodes: readonly Node[];
  readonly leader: Node | undefined;
}

export interface LeadersOptions {
  /** A client for one node, with the user and the certificates of the connection string. */
  readonly open: (node: Node) => EventStoreDBClient;
  readonly timeoutMs: number;
}

const { GossipClient } = gossipServices;
const { LEADER } = gossip.MemberInfo.VNodeState;

/**
 * Who leads, by what most nodes of the cluster say. A leader that is cut off from its peers does not know that it leads no
 * more, and answers its readers as before.
 */
export class Leaders {
  readonly #options: LeadersOptions;
  readonly #peers = new Map<Node, ClientCore>();

  constructor(options: LeadersOptions) {
    this.#options = options;
  }

  /**
   * Moves the client's connection to the leader that most nodes name, where the node that it is connected with names another
   * one or none; `isFollower`: where it has said that it does not lead, but not who does. Nothing happens where most nodes
   * name none, or do not answer. True where it moved.
   */
  async follow(core: ClientCore, isFollower = false): Promise<boolean> {
    let asked: Client | undefined;
    const view = await this.#view(core, (client) => (asked = client));
    if (view === undefined || asked === undefined || view.nodes.length < 2) return false;
    const leader = await this.#namedByMost(view.nodes);
    if (leader === undefined || (!isFollower && leader === view.leader)) return false;
    await core.handleError(asked, notLeaderError(leader));
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#peers.values()].map(async (peer) => (await peer.getChannel()).close()));
  }

  async #namedByMost(nodes: readonly Node[]): Promise<Node | undefined> {
    const views = await Promise.all(nodes.map((node) => this.#view(this.#peer(node))));
    const named = views.flatMap((view) => view?.leader ?? []);
    return named.find((leader) => named.filter((one) => one === leader).length > nodes.length / 2);
  }

  #peer(node: Node): ClientCore {
    const peer = this.#peers.get(node) ?? coreOf(this.#options.open(node));
    this.#peers.set(node, peer);
    return peer;
  }

  /** Undefined where the node does not answer. */
  #view(core: ClientCore, told: (client: Client) => void = () => undefined): Promise<View | undefined> {
    const view = core.execute(GossipClient, 'gossip', (client) => {
      told(client);
      const deadline = this.#options.timeoutMs;
      const [metadata, options] = core.callArguments({ requiresLeader: false, deadline });
      return new Promise<View>((resolve, reject) => {
        client.read(new shared.Empty(), metadata, options, (error, info) =>
          error === null ? resolve(viewOf(info)) : reject(error),
        );
      });
    });
    return view.catch(() => undefined);
  }
}

function viewOf(info: gossip.ClusterInfo): View {
  const members = info.getMembersList().map((member) => ({
    node: nodeOf(member.getHttpEndPoint()),
    leads: member.getIsAlive() && member.getState() === LEADER,
  }));
  return { nodes: members.map(({ node }) => node), leader: members.find(({ leads }) => leads)?.node };
}

const nodeOf = (endpoint: gossip.EndPoint | undefined): Node =>
  `${endpoint?.getAddress() ?? ''}:${endpoint?.getPort() ?? 0}`;

/** What a node would answer that knows of the new leader. */
function notLeaderError(leader: Node): NotLeaderError {
  const metadata = new Metadata();
  const portAt = leader.lastIndexOf(':');
  metadata.set('leader-endpoint-host', leader.slice(0, portAt));
  metadata.set('leader-endpoint-port', leader.slice(portAt + 1));
  const details = 'Most nodes name another leader';
  return new NotLeaderError(Object.assign(new Error(details), { code: status.NOT_FOUND, details, metadata }));
}
