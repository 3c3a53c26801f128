import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { operations } from './protocol.js';
import type { Store } from './store.js';

export type ScavengeCall = ServerUnaryCall<operations.StartScavengeReq, operations.ScavengeResp>;

/** The real server scavenges after its answer, this one before. */
export async function startScavenge(
  store: Store,
  _call: ScavengeCall,
  callback: sendUnaryData<operations.ScavengeResp>,
): Promise<void> {
  const id = await store.scavenge();
  const answer = new operations.ScavengeResp();
  answer.setScavengeId(id);
  answer.setScavengeResult(operations.ScavengeResp.ScavengeResult.STARTED);
  callback(null, answer);
}
