import { CHAIN_START, chainBehind } from '../event-store/linked-events.js';
import type { RecordedEvent } from '../ports/event-log.js';
import { leafOf, signatureOf, type Anchor, type AnchorKeys, type Head } from './anchor.js';
import { headOf } from './heads.js';
import { HeadsSoFar } from './heads-so-far.js';
import { rootOfPath } from './merkle.js';

/** That an event was in the log when an anchor was made (docs/log-format.md, "Proofs"). */
export interface Proof {
  readonly anchor: Anchor;
  /** The chain value before the event, hex. */
  readonly previous: string;
  /** The event, and all later ones of its stream that the anchor covers. */
  readonly events: readonly RecordedEvent[];
  /** Of the stream's leaf. */
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

/**
 * Proves an event by the first anchor that covers it, from a log's events without chunks in their order. Undefined where there
 * is no such event, `not-anchored` where no anchor covers it, `unfit` where the log is not what the anchor says.
 */
export async function proveEvent(
  log: AsyncIterable<RecordedEvent>,
  id: string,
  anchors: readonly Anchor[],
): Promise<Proof | 'not-anchored' | 'unfit' | undefined> {
  const heads = new HeadsSoFar();
  let found: Found | undefined;
  for await (const event of log) {
    if (found === undefined && event.id === id) {
      found = foundAt(event, heads, anchors);
      if (found === undefined) return 'not-anchored';
    } else addLink(found, event);
    heads.take(event);
    if (isCovered(found, heads)) return proofOf(found, heads);
  }
  return found && 'unfit';
}

function addLink(found: Found | undefined, event: RecordedEvent): void {
  if (event.stream === found?.stream) found.events.push(event);
}

const isCovered = (found: Found | undefined, { events }: HeadsSoFar): found is Found =>
  found?.anchor.events === events;

interface Found extends Pick<Proof, 'anchor' | 'previous'> {
  readonly stream: string;
  readonly events: RecordedEvent[];
}

function foundAt(event: RecordedEvent, heads: HeadsSoFar, anchors: readonly Anchor[]): Found | undefined {
  const { stream } = event;
  const later = anchors.filter(({ events }) => events > heads.events);
  const [anchor] = later.sort((one, other) => one.events - other.events);
  return anchor && { stream, anchor, previous: heads.of(stream)?.chain ?? CHAIN_START, events: [event] };
}

function proofOf({ stream, ...found }: Found, heads: HeadsSoFar): Proof | 'unfit' {
  const { root, index, path } = heads.anchored(stream);
  return index === undefined || root !== found.anchor.root ? 'unfit' : { ...found, index, path };
}

/** Why it proves nothing; undefined where it proves its first event. Needs no log. */
export function problemOfProof(proof: Proof, keys: AnchorKeys): string | undefined {
  const head = headOfLinks(proof);
  if (head === undefined) return 'its events do not follow each other';
  const { anchor, index, path } = proof;
  const root = rootOfPath(leafOf(head), index, anchor.streams, path);
  if (root?.toString('hex') !== anchor.root) return "its path does not lead to the anchor's root";
  const signature = signatureOf(anchor, keys);
  if (signature === 'unknown-key') return `no public key ${anchor.kid} is known`;
  return signature === 'wrong' ? "the anchor's signature is wrong" : undefined;
}

function headOfLinks({ previous, events }: Proof): Head | undefined {
  const [first] = events;
  let head: Head | undefined;
  for (const [number, event] of events.entries()) {
    if (event.stream !== first?.stream || event.revision !== first.revision + number) return undefined;
    if (chainBehind(head?.chain ?? previous, event) === undefined) return undefined;
    head = headOf(event);
  }
  return head;
}
