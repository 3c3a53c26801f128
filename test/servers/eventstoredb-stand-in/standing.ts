import type { Endpoint, Member } from './cluster.js';
import { notLeader, notReady, type Failure } from './errors.js';

/** What a node is at the moment, to its callers. */
export interface Standing {
  /** The cluster as this node sees it. */
  members(): readonly Member[];
  /** Why a call is not taken here: the node is not ready, or it does not lead and the call requires the leader. */
  refusal(requiresLeader: boolean): Failure | undefined;
  /** Resolves when a write may be decided, or with the reason why it may not. */
  writeRefusal(): Promise<Failure | undefined>;
}

export interface AloneOptions {
  readonly own: () => Endpoint;
  readonly isReady: () => boolean;
  /** Calls that require the leader are sent there. */
  readonly leader: Endpoint | undefined;
}

/** A server without peers: it leads, or sends everybody who wants the leader to one and the same place. */
export function alone({ own, isReady, leader }: AloneOptions): Standing {
  const refusal = (requiresLeader: boolean): Failure | undefined => {
    if (!isReady()) return notReady();
    return leader !== undefined && requiresLeader ? notLeader(leader) : undefined;
  };
  return {
    members: () => [{ endpoint: leader ?? own(), state: 'leader', isAlive: true }],
    refusal,
    writeRefusal: () => Promise.resolve(refusal(false)),
  };
}
