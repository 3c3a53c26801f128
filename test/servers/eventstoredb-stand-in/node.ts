import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint, Member } from './cluster.js';
import { commitTimedOut, noLeaderInfo, notLeader, notReady, type Failure } from './errors.js';
import type { Rights } from './rights.js';
import { serve, type Serving, type ServingOptions } from './server.js';
import type { Standing } from './standing.js';
import { Store } from './store.js';

export interface NodeOptions extends ServingOptions {
  readonly folder: string;
  /** 0 for a free one, which it keeps. */
  readonly port: number;
  readonly rights: Rights;
  /** A leader that hears nothing from its peers gives a write up after so long. */
  readonly commitTimeoutMs: number;
  /** Followers do not say who leads. */
  readonly hidesLeader: boolean;
}

/** What a node of a cluster asks the others. */
export interface Peers {
  readonly nodes: readonly ClusterNode[];
  readonly leader: ClusterNode | undefined;
  /** Resolves once a change of leader that is under way is done. */
  settled(): Promise<void>;
}

const CLOSE_AFTER_MS = 5_000;

/** A node of a cluster: a store and a port of its own. */
export class ClusterNode implements Standing {
  readonly #options: NodeOptions;
  readonly #peers: Peers;
  #port: number;
  #store: Store | undefined;
  #serving: Serving | undefined;
  /** Whom it takes for the leader since it was cut off from its peers. */
  #cutOff: { readonly leader: ClusterNode | undefined } | undefined;

  constructor(options: NodeOptions, peers: Peers) {
    this.#options = options;
    this.#port = options.port;
    this.#peers = peers;
  }

  get endpoint(): Endpoint {
    return { host: '127.0.0.1', port: this.#port };
  }

  get isUp(): boolean {
    return this.#serving !== undefined;
  }

  /** Whether its peers hear from it. */
  get isHeard(): boolean {
    return this.isUp && this.#cutOff === undefined;
  }

  /** Only of a node that is up. */
  get store(): Store {
    if (this.#store === undefined) throw new Error('The node is down');
    return this.#store;
  }

  /** Starts it, on its old port where it had one; `before` is done before it takes calls. */
  async start(before: () => void = () => undefined): Promise<void> {
    this.#store = new Store(this.#options.folder);
    before();
    const { rights } = this.#options;
    const place = { store: this.#store, rights, standing: this };
    this.#serving = await serve(place, this.#port, this.#options);
    this.#port = this.#serving.port;
  }

  kill(): void {
    this.#serving?.end();
    // Whoever reads from it just now finds out on his way.
    const store = this.#store;
    setTimeout(() => store?.close(), CLOSE_AFTER_MS).unref();
    this.#serving = undefined;
    this.#store = undefined;
    this.#cutOff = undefined;
  }

  /** It goes on with what it knows: who leads, and what was written. */
  cutOff(): void {
    this.#cutOff = { leader: this.#peers.leader };
  }

  join(): void {
    this.#cutOff = undefined;
  }

  members(): readonly Member[] {
    const leader = this.#leader;
    return this.#peers.nodes.map((node) => ({
      endpoint: node.endpoint,
      state: node === leader ? 'leader' : node.isUp ? 'follower' : 'unknown',
      isAlive: node === this || (this.#cutOff === undefined && node.isHeard),
    }));
  }

  refusal(requiresLeader: boolean): Failure | undefined {
    const leader = this.#leader;
    if (!requiresLeader || leader === this) return undefined;
    if (this.#options.hidesLeader) return noLeaderInfo();
    return leader === undefined ? notReady() : notLeader(leader.endpoint);
  }

  async writeRefusal(): Promise<Failure | undefined> {
    const isElecting = this.#cutOff === undefined && this.#peers.leader === undefined;
    if (isElecting) return notReady();
    const tooLate = wait(this.#options.commitTimeoutMs).then(commitTimedOut);
    if (this.#cutOff !== undefined) return tooLate;
    // What comes in while the leader steps back waits, and is told after the time of a commit.
    const settled = this.#peers.settled().then(() => {
      // Cut off meanwhile, it takes itself for the leader, and can commit nothing.
      return this.#cutOff === undefined ? this.refusal(true) : tooLate;
    });
    return Promise.race([settled, tooLate]);
  }

  get #leader(): ClusterNode | undefined {
    return this.#cutOff === undefined ? this.#peers.leader : this.#cutOff.leader;
  }
}
