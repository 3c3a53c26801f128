import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Failure } from './errors.js';
import type { streams } from './protocol.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** The caller is gone. */
export class CallEnded extends Error {}

/** Sends a message and waits while the caller does not take more. */
export async function send(call: ReadCall, message: streams.ReadResp): Promise<void> {
  if (call.cancelled || call.destroyed) throw new CallEnded();
  if (call.write(message)) return;
  await new Promise<void>((resolve, reject) => {
    const ended = (): void => reject(new CallEnded());
    call.once('cancelled', ended);
    call.once('close', ended);
    call.once('drain', () => {
      call.off('cancelled', ended);
      call.off('close', ended);
      resolve();
    });
  });
}

/** Waits until the caller is gone. */
export const ended = (call: ReadCall): Promise<never> =>
  new Promise((_resolve, reject) => {
    for (const end of ['cancelled', 'close']) call.once(end, () => reject(new CallEnded()));
  });

/** Ends the call with a status. */
export function fail(call: ReadCall, failure: Failure): void {
  call.emit('error', failure);
}
