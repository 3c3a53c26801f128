import type { Position } from '@rollcall/application';
import type { LastPosition } from './last-position.js';
import type { ReadCall } from './read-call.js';
import type { Wire } from './wire.js';

interface SilenceWatchDeps {
  readonly wire: Pick<Wire, 'seekLeader'>;
  readonly lastWanted: Pick<LastPosition, 'read'>;
  /** Silence before the leader is asked, and the interval of asking. */
  readonly silenceMs: number;
}

type WatchedCall = Pick<ReadCall, 'hasBuffered' | 'hasLeft' | 'silentSince' | 'leave'>;

/** Ends a silent live subscription if the leader's end is ahead at two polls in a row: its node was cut off. */
export class SilenceWatch {
  readonly #call: WatchedCall;
  readonly #deps: SilenceWatchDeps;
  readonly #progress: { readonly done: Position | undefined };
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #missing: Position | undefined;

  constructor(call: WatchedCall, deps: SilenceWatchDeps, progress: { readonly done: Position | undefined }) {
    this.#call = call;
    this.#deps = deps;
    this.#progress = progress;
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
      // Callers learn of the outage by their own calls.
    } finally {
      this.#isLooking = false;
    }
  }

  #seen(end: Position | undefined): void {
    const { done } = this.#progress;
    if (this.#missing !== undefined && this.#isSilent && isBehind(done, this.#missing)) this.#call.leave();
    this.#missing = end !== undefined && isBehind(done, end) ? end : undefined;
  }

  get #isSilent(): boolean {
    return !this.#call.hasBuffered && performance.now() - this.#call.silentSince >= this.#deps.silenceMs;
  }
}

const isBehind = (done: Position | undefined, end: Position): boolean => done === undefined || done < end;
