import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What an event loop did since it was asked last, in milliseconds. */
export interface LoopDelay {
  readonly p99: number;
  /** The longest time in which nothing else had a turn. */
  readonly worst: number;
  /** The same without the time in which the thread was ready and no processor was free: what the process itself did. */
  readonly worstOwn: number;
}

const tickMs = 2;

/** Milliseconds that the main thread has waited for a processor; 0 where the kernel does not say. */
function waitedForProcessor(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Watches the event loop of the main thread. The kernel's account of the thread is read at every tick, because on a machine
 * with other work a gap between two ticks says as much about that work as about this process.
 */
export class LoopWatch {
  readonly #delay = monitorEventLoopDelay({ resolution: 1 });
  #worstOwn = 0;
  #tick = { at: performance.now(), waited: waitedForProcessor() };

  constructor() {
    this.#delay.enable();
    setInterval(() => this.#look(), tickMs).unref();
  }

  #look(): void {
    const tick = { at: performance.now(), waited: waitedForProcessor() };
    const own = tick.at - this.#tick.at - (tick.waited - this.#tick.waited) - tickMs;
    this.#worstOwn = Math.max(this.#worstOwn, own);
    this.#tick = tick;
  }

  take(): LoopDelay {
    const seen = {
      p99: this.#delay.percentile(99) / 1e6,
      worst: this.#delay.max / 1e6,
      worstOwn: this.#worstOwn,
    };
    this.#delay.reset();
    this.#worstOwn = 0;
    return seen;
  }
}
