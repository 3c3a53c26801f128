import { randomUUID } from 'node:crypto';
import { features, gossip, services, shared } from './protocol.js';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** What a cluster of one says of itself: this node, or the leader that it follows. */
export function clusterInfo(leader: Endpoint): gossip.ClusterInfo {
  const endpoint = new gossip.EndPoint();
  endpoint.setAddress(leader.host);
  endpoint.setPort(leader.port);
  const id = new shared.UUID();
  id.setString(randomUUID());
  const member = new gossip.MemberInfo();
  member.setInstanceId(id);
  member.setTimeStamp(String(Date.now()));
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endpoint);
  const info = new gossip.ClusterInfo();
  info.setMembersList([member]);
  return info;
}

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  read: ['position', 'events'],
  append: [],
  delete: [],
  tombstone: [],
  batchappend: ['deadline_duration'],
};

export function supportedMethods(): features.SupportedMethods {
  const serviceName = services.streams.read.path.split('/')[1] ?? '';
  const answer = new features.SupportedMethods();
  answer.setEventStoreServerVersion('23.10.8');
  answer.setMethodsList(
    Object.entries(FEATURES).map(([name, list]) => {
      const method = new features.SupportedMethod();
      method.setServiceName(serviceName);
      method.setMethodName(name);
      method.setFeaturesList([...list]);
      return method;
    }),
  );
  return answer;
}
