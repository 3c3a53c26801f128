import type { Leaders } from './leaders.js';
import type { Wire } from './wire.js';

type OpenWire = (nth: number, options: { readonly onMoved: (node: string) => void }) => Wire;

/** A server queues calls above 100 per connection, therefore calls that last have their own connections. If one moves, all move. */
export class Connections {
  readonly calls: Wire;
  /** For subscriptions, scans and the reads that they are compared with. */
  readonly follows: Wire;
  readonly #open: OpenWire;
  readonly #leaders: Pick<Leaders, 'close'>;
  readonly #all: Wire[] = [];
  #node: string | undefined;

  constructor(open: OpenWire, leaders: Pick<Leaders, 'close'>) {
    this.#open = open;
    this.#leaders = leaders;
    this.calls = this.#next();
    this.follows = this.#next();
  }

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
