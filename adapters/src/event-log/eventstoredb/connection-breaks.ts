import { connectivityState, type ChannelInterface } from '@grpc/grpc-js';

const { READY, SHUTDOWN } = connectivityState;

/** How often the way to the server was another one: a channel connects anew by itself, and no call of it need fail. */
export class ConnectionBreaks {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** A channel in the place of those before it. */
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
