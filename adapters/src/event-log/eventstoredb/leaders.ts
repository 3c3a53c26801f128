import { NotLeaderError } from '@eventstore/db-client';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { Metadata, status, type ChannelCredentials, type Client } from '@grpc/grpc-js';
import type { ClientCore } from './client-core.js';
import { gossipClient, secretsOf, viewOf, type GossipClient, type Node, type View } from './gossip.js';

/** A node that is asked before a connection is opened keeps its callers waiting no longer. */
const MOST_ASKING_MS = 1_000;

/**
 * Who leads, by what most nodes of the cluster say. A leader that is cut off from its peers does not know that it leads no
 * more, and answers its readers as before.
 */
export class Leaders {
  readonly #connectionString: string;
  readonly #timeoutMs: number;
  #secrets: ChannelCredentials | undefined;
  readonly #peers = new Map<Node, GossipClient>();
  /** A server without peers is not asked again. */
  #isAlone = false;
  #isClosed = false;

  constructor(connectionString: string, timeoutMs: number) {
    this.#connectionString = connectionString;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Moves the client's connection to the leader that most nodes name, where the node that it is connected with names another
   * one or none; `isFollower`: where it has said that it does not lead, but not who does. Nothing happens where most nodes
   * name none, or do not answer. True where it moved.
   */
  async follow(core: ClientCore, isFollower = false): Promise<boolean> {
    let asked: Client | undefined;
    const view = await this.#viewOver(core, (client) => (asked = client));
    if (view === undefined || asked === undefined) return false;
    this.#isAlone = view.nodes.length < 2;
    const leader = await this.#namedByMost(view.nodes);
    if (leader === undefined || (!isFollower && leader === view.leader)) return false;
    await core.handleError(asked, notLeaderError(leader));
    return true;
  }

  /** Whom most nodes name of the cluster that this node belongs to; the node itself where most name nobody. */
  async leaderFor(node: Node): Promise<Node> {
    if (this.#isAlone) return node;
    const withinMs = Math.min(this.#timeoutMs, MOST_ASKING_MS);
    // Over a connection of its own: one from before may lead nowhere by now.
    const client = this.#open(node);
    const view = await this.#ask(client, withinMs).catch(() => undefined);
    client.close();
    if (view === undefined) return node;
    this.#isAlone = view.nodes.length < 2;
    return (await this.#namedByMost(view.nodes, withinMs)) ?? node;
  }

  close(): void {
    this.#isClosed = true;
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }

  /** As soon as most have named it: one that does not answer keeps nobody waiting. A single node needs no votes. */
  #namedByMost(nodes: readonly Node[], withinMs = this.#timeoutMs): Promise<Node | undefined> {
    if (nodes.length < 2) return Promise.resolve(undefined);
    const votes = new Map<Node, number>();
    return new Promise((resolve) => {
      const asked = nodes.map(async (node) => {
        const leader = await this.#namedBy(node, withinMs);
        if (leader === undefined) return;
        const count = (votes.get(leader) ?? 0) + 1;
        votes.set(leader, count);
        if (count > nodes.length / 2) resolve(leader);
      });
      void Promise.all(asked).then(() => resolve(undefined));
    });
  }

  /** Undefined where the node does not answer; then it gets another connection the next time. */
  async #namedBy(node: Node, withinMs: number): Promise<Node | undefined> {
    if (this.#isClosed) return undefined;
    const peer = this.#peers.get(node) ?? this.#open(node);
    this.#peers.set(node, peer);
    try {
      return (await this.#ask(peer, withinMs)).leader;
    } catch {
      peer.close();
      if (this.#peers.get(node) === peer) this.#peers.delete(node);
      return undefined;
    }
  }

  #open(node: Node): GossipClient {
    this.#secrets ??= secretsOf(this.#connectionString);
    return gossipClient(node, this.#secrets);
  }

  #ask(client: GossipClient, withinMs: number): Promise<View> {
    return viewOf(client, new Metadata(), { deadline: Date.now() + withinMs });
  }

  /** Over the client's own connection. Undefined where the node does not answer. */
  #viewOver(core: ClientCore, told: (client: Client) => void): Promise<View | undefined> {
    const view = core.execute(gossipServices.GossipClient, 'gossip', (client) => {
      told(client);
      return viewOf(client, ...core.callArguments({ requiresLeader: false, deadline: this.#timeoutMs }));
    });
    return view.catch(() => undefined);
  }
}

/** What a node would answer that knows of the new leader. */
function notLeaderError(leader: Node): NotLeaderError {
  const metadata = new Metadata();
  const portAt = leader.lastIndexOf(':');
  metadata.set('leader-endpoint-host', leader.slice(0, portAt));
  metadata.set('leader-endpoint-port', leader.slice(portAt + 1));
  const details = 'Most nodes name another leader';
  return new NotLeaderError(Object.assign(new Error(details), { code: status.NOT_FOUND, details, metadata }));
}
