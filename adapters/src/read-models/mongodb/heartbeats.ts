import type { EventEmitter } from 'node:events';

/** Each server is looked at every 2 s, and a look takes 3 s at most: one that was not looked at for so long never will be. */
const SILENT_MS = 10_000;

/**
 * Whether the driver still looks at its servers. Where a connection is closed in the very moment in which the driver looks,
 * that look waits for ever, and the server is taken for lost long after it is back.
 */
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
    return [...this.#last.values()].some((at) => this.#now() - at > SILENT_MS);
  }
}
