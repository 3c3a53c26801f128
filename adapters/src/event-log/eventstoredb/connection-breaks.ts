import { connectivityState, type ChannelInterface } from '@grpc/grpc-js';

const { READY, SHUTDOWN } = connectivityState;

/** Counts reconnects: a channel reconnects by itself without failing a call. */
export class ConnectionBreaks {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  opened(channel: ChannelInterface): void {
    this.#count += 1;
    this.#watch(channel);
  }

  #watch(channel: ChannelInterface): void {
    const state = channel.getConnectivityState(false);
    if (state === SHUTDOWN) return;
    channel.watchConnectivityState(state, Infinity, () => {
      if (state === READY) this.#count += 1;
      this.#watch(channel);
    });
  }
}
