import { connectivityState, type ChannelInterface } from '@grpc/grpc-js';
import t from 'tap';
import { ConnectionBreaks } from './connection-breaks.js';

const { CONNECTING, IDLE, READY, SHUTDOWN } = connectivityState;

/** A channel whose state is set by hand. */
class HandChannel implements Pick<ChannelInterface, 'getConnectivityState' | 'watchConnectivityState'> {
  #state: connectivityState = IDLE;
  #changed: () => void = () => undefined;

  getConnectivityState(): connectivityState {
    return this.#state;
  }

  watchConnectivityState(_state: connectivityState, _deadline: unknown, changed: () => void): void {
    this.#changed = changed;
  }

  becomes(...states: readonly connectivityState[]): void {
    for (const state of states) {
      this.#state = state;
      this.#changed();
    }
  }
}

t.test('another connection is counted as soon as the one before it is lost', (t) => {
  const breaks = new ConnectionBreaks();
  const channel = new HandChannel();
  breaks.opened(channel as unknown as ChannelInterface);
  channel.becomes(CONNECTING, READY);
  t.equal(breaks.count, 1);
  channel.becomes(IDLE);
  t.equal(breaks.count, 2, 'no call has failed');
  channel.becomes(CONNECTING, READY);
  t.equal(breaks.count, 2);
  breaks.opened(new HandChannel() as unknown as ChannelInterface);
  t.equal(breaks.count, 3, 'a channel in its place');
  channel.becomes(SHUTDOWN);
  t.equal(breaks.count, 4);
  t.end();
});
