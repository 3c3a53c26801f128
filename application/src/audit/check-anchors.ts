import { loadEvent } from '../event-store/loaded-event.js';
import { readInstallation } from '../installation/installation.js';
import { unlessCorrupt, type EventReader, type Position, type RecordedEvent } from '../ports/event-log.js';
import { signatureOf, type Anchor, type AnchorKeys } from './anchor.js';
import { anchorsStream } from './anchor-log.js';
import { HeadsSoFar } from './heads-so-far.js';

export interface NamedAnchor {
  readonly anchor: Anchor;
  /** Where it stands: a file, or `anchors@3`. */
  readonly source: string;
}

export interface AnchorsVerdict {
  readonly problems: readonly string[];
  /** Signatures that no known key could check. */
  readonly notices: readonly string[];
  /** Of the log's own anchors. */
  readonly own: number;
  readonly newestOwn: Anchor | undefined;
  /** Those kept outside that fit and whose key is known, by the events that they cover. */
  readonly outside: readonly Anchor[];
  /** Of the whole log, without chunks. */
  readonly events: number;
}

/** Leaves hashed for the log's own anchors; of more, evenly spaced anchors are compared, the newest among them. */
const maxLeaves = 10_000_000;

interface CheckAnchorsOptions {
  readonly keys: AnchorKeys;
  /** An anchor of another key is then a problem. */
  readonly areKeysGiven?: boolean;
  readonly outside?: readonly NamedAnchor[];
}

/** Compares the log's own anchors, and those kept outside, with a log's events; `take` gets each of them in order. */
export class AnchorCheck {
  readonly #heads = new HeadsSoFar();
  readonly #own: readonly NamedAnchor[];
  readonly #outside: readonly NamedAnchor[];
  readonly #options: CheckAnchorsOptions;
  readonly #installationId: string | undefined;
  readonly #waiting = new Map<number, NamedAnchor[]>();
  readonly #failed: { readonly events: number; readonly problem: string }[] = [];
  readonly #fits = new Set<Anchor>();
  #last: Position | undefined;

  private constructor(
    installationId: string | undefined,
    own: readonly NamedAnchor[],
    options: CheckAnchorsOptions,
  ) {
    this.#installationId = installationId;
    this.#own = own;
    this.#outside = options.outside ?? [];
    this.#options = options;
    for (const one of [...evenly(own), ...this.#outside]) {
      const { events } = one.anchor;
      this.#waiting.set(events, [...(this.#waiting.get(events) ?? []), one]);
    }
  }

  static async open(log: EventReader, options: CheckAnchorsOptions): Promise<AnchorCheck> {
    const installation = await unlessCorrupt(readInstallation(log));
    return new AnchorCheck(installation?.installationId, await ownAnchors(log), options);
  }

  take(event: RecordedEvent): void {
    if (!this.#heads.take(event)) return;
    this.#last = event.position;
    const { events } = this.#heads;
    const waiting = this.#waiting.get(events);
    if (waiting === undefined) return;
    const { root, streams } = this.#heads.anchored();
    for (const { anchor, source } of waiting)
      if (anchor.root === root && anchor.streams === streams) this.#fits.add(anchor);
      else this.#fails(anchor, `${nameOf(anchor, source)} does not fit: ${this.#since(anchor, streams)}`);
    this.#waiting.delete(events);
  }

  end(): AnchorsVerdict {
    for (const { anchor, source } of [...this.#waiting.values()].flat())
      this.#fails(anchor, `${nameOf(anchor, source)} does not fit: ${this.#short(anchor)}`);
    const signatures = [...this.#own, ...this.#outside].map((one) => this.#signed(one));
    const wrong = new Set(signatures.flatMap(({ problem }) => problem ?? []));
    const notices = new Set(signatures.flatMap(({ notice }) => notice ?? []));
    const [first, ...more] = this.#failed.sort((one, other) => one.events - other.events);
    const roots = first === undefined ? [] : [first.problem + andMore(more.length)];
    return {
      problems: [...roots, ...wrong],
      notices: [...notices],
      own: this.#own.length,
      newestOwn: this.#own.at(-1)?.anchor,
      outside: this.#outside
        .map(({ anchor }) => anchor)
        .filter((anchor) => this.#fits.has(anchor) && this.#options.keys.has(anchor.kid))
        .sort((one, other) => one.events - other.events),
      events: this.#heads.events,
    };
  }

  #fails({ events }: Anchor, problem: string): void {
    this.#failed.push({ events, problem });
  }

  #since({ streams }: Anchor, found: number): string {
    const fitting = [...this.#fits].at(-1);
    const since = fitting === undefined ? 'the beginning' : `the anchor of ${fitting.time}`;
    const counted = found === streams ? '' : `; the log has ${found} streams there, the anchor ${streams}`;
    return `events since ${since} were changed, removed or added${counted}`;
  }

  #short({ events, streams, position }: Anchor): string {
    const isCut = this.#last === undefined || this.#last < BigInt(position);
    return (
      `it covers ${events} events in ${streams} streams, and the log has ${this.#heads.events} in ${this.#heads.streams}: ` +
      (isCut ? `its end was cut off behind position ${this.#last ?? 0n}` : 'events or streams were removed')
    );
  }

  #signed({ anchor, source }: NamedAnchor): { readonly problem?: string; readonly notice?: string } {
    if (this.#installationId !== undefined && anchor.installationId !== this.#installationId)
      return { problem: `${nameOf(anchor, source)} is of another installation` };
    const signature = signatureOf(anchor, this.#options.keys);
    const unchecked = `no public key ${anchor.kid} is known: its anchors' signatures are not checked`;
    if (signature === 'unknown-key')
      return this.#options.areKeysGiven === true ? { problem: unchecked } : { notice: unchecked };
    return signature === 'right' ? {} : { problem: `${nameOf(anchor, source)} has a wrong signature` };
  }
}

const nameOf = ({ time }: Anchor, source: string): string => `The anchor of ${time} (${source})`;

const andMore = (count: number): string => (count === 0 ? '' : ` (nor do ${count} more)`);

function evenly(own: readonly NamedAnchor[]): readonly NamedAnchor[] {
  const leaves = own.reduce((sum, { anchor }) => sum + anchor.streams, 0);
  const step = Math.ceil(leaves / maxLeaves);
  return own.filter((_, index) => (own.length - 1 - index) % step === 0);
}

/** Up to the first that cannot be read: the chain shows that one. */
export async function ownAnchors(log: EventReader): Promise<readonly NamedAnchor[]> {
  const own: NamedAnchor[] = [];
  const read = async (): Promise<void> => {
    for await (const event of log.readStream(anchorsStream))
      own.push({
        anchor: await loadEvent(log, event).data('LogAnchored'),
        source: `${anchorsStream}@${event.revision}`,
      });
  };
  await unlessCorrupt(read());
  return own;
}
