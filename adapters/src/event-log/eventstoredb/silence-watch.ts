import type { Position } from '@rollcall/application';
import type { LastPosition } from './last-position.js';
import type { ReadCall } from './read-call.js';
import type { Wire } from './wire.js';

export interface SilenceWatchDeps {
  readonly wire: Pick<Wire, 'seekLeader'>;
  /** The end of what the subscription follows. */
  readonly lastWanted: Pick<LastPosition, 'read'>;
  /** How long it may be silent before the leader is asked, and from one question to the next. */
  readonly silenceMs: number;
}

export type WatchedCall = Pick<ReadCall, 'hasBuffered' | 'hasLeft' | 'silentSince' | 'leave'>;

/**
 * Looks after a live subscription. A node that was cut off from its peers leaves it open and silent: then the leader is
 * asked for its end, and where that is behind the subscription's place at two looks in a row, it leaves.
 */
export class SilenceWatch {
  readonly #call: WatchedCall;
  readonly #deps: SilenceWatchDeps;
  readonly #place: { readonly done: Position | undefined };
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** The end that it had not come to at the last look. */
  #missing: Position | undefined;

  constructor(call: WatchedCall, deps: SilenceWatchDeps, place: { readonly done: Position | undefined }) {
    this.#call = call;
    this.#deps = deps;
    this.#place = place;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#look(), this.#deps.silenceMs).unref();
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || !this.#isSilent) return;
    this.#isLooking = true;
    try {
      await this.#deps.wire.seekLeader();
      const end = this.#call.hasLeft ? undefined : await this.#deps.lastWanted.read();
      this.#seen(end);
    } catch {
      // A log that is away says so to everybody who asks it.
    } finally {
      this.#isLooking = false;
    }
  }

  #seen(end: Position | undefined): void {
    const { done } = this.#place;
    if (this.#missing !== undefined && this.#isSilent && isBehind(done, this.#missing)) this.#call.leave();
    this.#missing = end !== undefined && isBehind(done, end) ? end : undefined;
  }

  /** What waits to be taken is no silence. */
  get #isSilent(): boolean {
    return !this.#call.hasBuffered && performance.now() - this.#call.silentSince >= this.#deps.silenceMs;
  }
}

const isBehind = (done: Position | undefined, end: Position): boolean => done === undefined || done < end;
