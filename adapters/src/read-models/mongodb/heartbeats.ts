import type { EventEmitter } from 'node:events';

/** Servers are checked every 2 s, for 3 s at most: after this time a check has hung. */
const maxSilenceMs = 10_000;

/** Detects a server check that hangs in the driver after a closed connection: that server would be lost for ever. */
export class Heartbeats {
  readonly #last = new Map<string, number>();
  readonly #now: () => number;

  constructor(client: EventEmitter, now: () => number = () => performance.now()) {
    this.#now = now;
    const seen = ({ connectionId }: { readonly connectionId: string }): void =>
      void this.#last.set(connectionId, now());
    client
      .on('serverOpening', ({ address }: { readonly address: string }) => this.#last.set(address, now()))
      .on('serverClosed', ({ address }: { readonly address: string }) => this.#last.delete(address))
      .on('serverHeartbeatSucceeded', seen)
      .on('serverHeartbeatFailed', seen);
  }

  get haveStopped(): boolean {
    return [...this.#last.values()].some((at) => this.#now() - at > maxSilenceMs);
  }
}
