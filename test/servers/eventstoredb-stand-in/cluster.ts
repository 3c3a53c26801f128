import { randomUUID } from 'node:crypto';
import { gossip, shared } from './protocol.js';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A node as another one (or it itself) sees it. */
export interface Member {
  readonly endpoint: Endpoint;
  readonly state: 'leader' | 'follower' | 'unknown';
  readonly isAlive: boolean;
}

const { VNodeState } = gossip.MemberInfo;
const STATES = {
  leader: VNodeState.LEADER,
  follower: VNodeState.FOLLOWER,
  unknown: VNodeState.UNKNOWN,
} as const;

/** What a node says of its cluster. */
export function clusterInfo(members: readonly Member[]): gossip.ClusterInfo {
  const info = new gossip.ClusterInfo();
  info.setMembersList(members.map(memberInfo));
  return info;
}

function memberInfo({ endpoint: { host, port }, state, isAlive }: Member): gossip.MemberInfo {
  const endpoint = new gossip.EndPoint();
  endpoint.setAddress(host);
  endpoint.setPort(port);
  const id = new shared.UUID();
  id.setString(randomUUID());
  const member = new gossip.MemberInfo();
  member.setInstanceId(id);
  member.setTimeStamp(String(Date.now()));
  member.setState(STATES[state]);
  member.setIsAlive(isAlive);
  member.setHttpEndPoint(endpoint);
  return member;
}
