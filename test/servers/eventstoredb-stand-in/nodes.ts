import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { ClusterNode, type NodeOptions, type Peers } from './node.js';

export interface ClusterOptions extends Omit<NodeOptions, 'folder' | 'port'> {
  readonly folder: string;
  /** Of each node; 0 for a free one. */
  readonly ports: readonly number[];
}

/**
 * Several nodes in one process. What the leader has answered is with every node that hears from it; the orders of who leads
 * come from outside.
 */
export class Cluster implements Peers {
  readonly nodes: readonly ClusterNode[];
  leader: ClusterNode | undefined;
  #changing: Promise<void> = Promise.resolve();
  #stopReplicating = (): void => undefined;

  private constructor({ ports, folder, ...options }: ClusterOptions) {
    this.nodes = ports.map(
      (port, n) => new ClusterNode({ ...options, port, folder: join(folder, String(n)) }, this),
    );
  }

  /** All nodes up, and the one that knows most the leader. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(options);
    for (const node of cluster.nodes) await node.start();
    const [most] = [...cluster.nodes].sort((a, b) => b.store.lastPosition - a.store.lastPosition);
    if (most !== undefined) cluster.#follow(most);
    return cluster;
  }

  settled(): Promise<void> {
    return this.#changing;
  }

  /** The leader steps back for another node, after an election of that length. */
  lead(n: number, electionMs: number): Promise<void> {
    return this.#change(() => this.#elect(this.#node(n), electionMs));
  }

  /** A node that nobody of the cluster hears any more; its callers do. Where it led, another one is elected. */
  cut(n: number, electionMs: number): Promise<void> {
    const node = this.#node(n);
    return this.#change(async () => {
      node.cutOff();
      if (this.leader !== node) return;
      await node.store.settled();
      await this.#elect(this.#nextOf(node), electionMs);
    });
  }

  /** A node that was cut off follows again. */
  join(n: number): Promise<void> {
    const node = this.#node(n);
    return this.#change(async () => {
      node.join();
      if (this.leader !== undefined) node.store.catchUpWith(this.leader.store);
    });
  }

  kill(n: number, electionMs: number): Promise<void> {
    const node = this.#node(n);
    return this.#change(async () => {
      const next = this.leader === node ? this.#nextOf(node) : undefined;
      next?.store.catchUpWith(node.store);
      node.kill();
      if (next !== undefined) await this.#elect(next, electionMs);
    });
  }

  start(n: number): Promise<void> {
    const node = this.#node(n);
    return this.#change(() =>
      node.start(() => {
        if (this.leader !== undefined) node.store.catchUpWith(this.leader.store);
      }),
    );
  }

  /** Meanwhile writes wait: what was let in before is with the leader's store after a turn, and decided first. */
  #change(work: () => Promise<void>): Promise<void> {
    const change = this.#changing.then(async () => {
      await nextTurn();
      if (this.leader?.isUp === true) await this.leader.store.settled();
      await work();
    });
    this.#changing = change.catch(() => undefined);
    return change;
  }

  async #elect(next: ClusterNode, electionMs: number): Promise<void> {
    const before = this.leader;
    if (before?.isUp === true) next.store.catchUpWith(before.store);
    if (electionMs > 0) {
      this.leader = undefined;
      await wait(electionMs);
    }
    this.#follow(next);
  }

  #follow(leader: ClusterNode): void {
    this.#stopReplicating();
    this.leader = leader;
    const replicate = (): void => {
      for (const node of this.nodes) {
        if (node !== leader && node.isHeard) node.store.catchUpWith(leader.store);
      }
    };
    this.#stopReplicating = leader.store.listen(replicate);
    replicate();
  }

  #node(n: number): ClusterNode {
    const node = this.nodes[n];
    if (node === undefined) throw new Error(`There is no node ${n}`);
    return node;
  }

  #nextOf(node: ClusterNode): ClusterNode {
    const at = this.nodes.indexOf(node);
    const next = [...this.nodes.slice(at + 1), ...this.nodes.slice(0, at)].find((one) => one.isHeard);
    if (next === undefined) throw new Error('No other node is there to lead');
    return next;
  }
}
