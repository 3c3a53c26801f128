import { NotLeaderError } from '@eventstore/db-client';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { Metadata, status, type ChannelCredentials, type Client } from '@grpc/grpc-js';
import type { ClientCore } from './client-core.js';
import { plainProblem } from './discovery.js';
import { gossipClient, secretsOf, viewOf, type GossipClient, type Node, type View } from './gossip.js';

/** A node asked before a connection opens may delay the caller no longer. */
const maxAskingMs = 1_000;

/** The leader by majority of the nodes: a cut-off one does not know that it was deposed, and still answers reads. */
export class Leaders {
  readonly #connectionString: string;
  readonly #timeoutMs: number;
  #secrets: ChannelCredentials | undefined;
  readonly #peers = new Map<Node, GossipClient>();
  #isAlone = false;
  #isClosed = false;

  constructor(connectionString: string, timeoutMs: number) {
    this.#connectionString = connectionString;
    this.#timeoutMs = timeoutMs;
  }

  /** Moves to the majority's leader; true if it moved. `isFollower`: this node has said that it does not lead. */
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

  /** The leader by majority of this node's cluster, else the node. `LogRefused` if it speaks TLS despite tls=false. */
  async leaderFor(node: Node): Promise<Node> {
    if (this.#isAlone) return node;
    const withinMs = Math.min(this.#timeoutMs, maxAskingMs);
    // On a new connection: an old one may lead nowhere.
    const client = this.#open(node);
    const view = await this.#ask(client, withinMs)
      .catch((error: unknown) => this.#checkTls(node, error))
      .finally(() => client.close());
    if (view === undefined) return node;
    this.#isAlone = view.nodes.length < 2;
    return (await this.#namedByMost(view.nodes, withinMs)) ?? node;
  }

  close(): void {
    this.#isClosed = true;
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }

  async #checkTls(node: Node, cause: unknown): Promise<undefined> {
    const problem =
      isUnreached(cause) && (await plainProblem(this.#connectionString, { nodes: [node], cause }));
    if (problem) throw problem;
  }

  /** Resolves at the first majority, so silent nodes delay nobody. A single node needs no votes. */
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

  #viewOver(core: ClientCore, use: (client: Client) => void): Promise<View | undefined> {
    const view = core.execute(gossipServices.GossipClient, 'gossip', (client) => {
      use(client);
      return viewOf(client, ...core.callArguments({ requiresLeader: false, deadline: this.#timeoutMs }));
    });
    return view.catch(() => undefined);
  }
}

const isUnreached = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === status.UNAVAILABLE;

function notLeaderError(leader: Node): NotLeaderError {
  const metadata = new Metadata();
  const portAt = leader.lastIndexOf(':');
  metadata.set('leader-endpoint-host', leader.slice(0, portAt));
  metadata.set('leader-endpoint-port', leader.slice(portAt + 1));
  const details = 'Most nodes name another leader';
  return new NotLeaderError(Object.assign(new Error(details), { code: status.NOT_FOUND, details, metadata }));
}
