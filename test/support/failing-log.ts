import type { EventLog } from '@rollcall/application';
import { withMembers } from './with-members.js';

/** How one append goes wrong: as when the process ends before it, or behind it. */
export interface Crash {
  readonly at: 'before' | 'after';
  /** 0 for the next append. */
  readonly append: number;
}

/** Holds appends back until it is opened. */
export interface Gate {
  /** An append has come to it. */
  readonly reached: Promise<void>;
  open(): void;
}

/** A log whose user can be made to crash: from that moment on every append fails, until it is started again. */
export class FailingLog {
  readonly log: EventLog;
  #crash: Crash | undefined;
  #count = 0;
  #hold: (stream: string) => Promise<void> = () => Promise.resolve();

  constructor(log: EventLog) {
    const append: EventLog['append'] = async (stream, expected, events) => {
      await this.#hold(stream);
      const place = this.#count++;
      if (this.#endsBefore(place)) throw new Error('crashed');
      const result = await log.append(stream, expected, events);
      if (this.#crash?.append === place) throw new Error('crashed');
      return result;
    };
    this.log = withMembers(log, { append });
  }

  crashAt(crash: Crash): void {
    this.#count = 0;
    this.#crash = crash;
  }

  restart(): void {
    this.#crash = undefined;
  }

  /** The appends to streams of this name, from now on until it is opened. */
  gateAt(prefix: string): Gate {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const reached = new Promise<void>((resolve) => {
      this.#hold = async (stream) => {
        if (!stream.startsWith(prefix)) return;
        resolve();
        await opened;
      };
    });
    return { reached, open: () => open() };
  }

  #endsBefore(place: number): boolean {
    if (this.#crash === undefined) return false;
    const { at, append } = this.#crash;
    return place > append || (place === append && at === 'before');
  }
}
