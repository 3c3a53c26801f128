import type { Leaders } from './leaders.js';
import type { Wire } from './wire.js';

/** Opens the nth connection. */
export type OpenWire = (nth: number, options: { readonly onMoved: (node: string) => void }) => Wire;

/**
 * A server lets 100 calls run on a connection; the next ones wait there, unheard. So what lasts has connections of its own,
 * and other calls always find room on theirs. Where one of them moves to another node, all do.
 */
export class Connections {
  /** For whatever ends by itself. */
  readonly calls: Wire;
  /** For subscriptions, scans, and what they are compared with. */
  readonly follows: Wire;
  readonly #open: OpenWire;
  readonly #leaders: Pick<Leaders, 'close'>;
  readonly #all: Wire[] = [];
  /** Where they went last. */
  #node: string | undefined;

  constructor(open: OpenWire, leaders: Pick<Leaders, 'close'>) {
    this.#open = open;
    this.#leaders = leaders;
    this.calls = this.#next();
    this.follows = this.#next();
  }

  /** For a call that lasts as long as its caller, who may make others meanwhile: as many connections as it takes. */
  lasting(): Wire {
    return this.#all.slice(2).find((wire) => wire.hasRoom) ?? this.#next();
  }

  #next(): Wire {
    const wire: Wire = this.#open(this.#all.length, {
      onMoved: (node) => {
        this.#node = node;
        for (const other of this.#all) if (other !== wire) other.moveTo(node);
      },
    });
    this.#all.push(wire);
    if (this.#node !== undefined) wire.moveTo(this.#node);
    return wire;
  }

  async close(): Promise<void> {
    this.#leaders.close();
    await Promise.all(this.#all.map((wire) => wire.close()));
  }
}
