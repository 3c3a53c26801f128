import {
  CHAIN_START,
  fromJson,
  LogCorrupt,
  toJson,
  verifyChain,
  type DocumentWrite,
  type ReadModelWriter,
  type RecordedEvent,
  type StreamDocument,
} from '@rollcall/application/read';

/** [stream] -> `StreamDocument`: its last fully projected event. */
const COLLECTION = 'streams';

const maxCachedStreams = 20_000;

/** Each stream's projected head: earlier events are done, the next must chain to it. */
export class StreamHeads {
  readonly #readModels: Pick<ReadModelWriter, 'newest'>;
  readonly #known = new Map<string, StreamDocument | undefined>();

  constructor(readModels: Pick<ReadModelWriter, 'newest'>) {
    this.#readModels = readModels;
  }

  async read(streams: Iterable<string>): Promise<Map<string, StreamDocument | undefined>> {
    const wanted = [...new Set(streams)];
    const unknown = wanted.filter((stream) => !this.#known.has(stream));
    const found =
      unknown.length === 0
        ? []
        : await this.#readModels.newest(
            COLLECTION,
            unknown.map((one) => [one]),
          );
    for (const [at, stream] of unknown.entries())
      this.#known.set(stream, fromJson(found[at]?.value) as StreamDocument | undefined);
    const heads = new Map(wanted.map((stream) => [stream, this.#known.get(stream)]));
    this.#forgetSome();
    return heads;
  }

  keep(heads: Iterable<readonly [string, StreamDocument]>): void {
    for (const [stream, head] of heads) {
      this.#known.delete(stream);
      this.#known.set(stream, head);
    }
    this.#forgetSome();
  }

  #forgetSome(): void {
    for (const stream of this.#known.keys()) {
      if (this.#known.size <= maxCachedStreams) return;
      this.#known.delete(stream);
    }
  }
}

/** `LogCorrupt` where its chain does not continue the head's. */
export function nextHead(head: StreamDocument | undefined, event: RecordedEvent): StreamDocument {
  const { stream, revision } = event;
  const expected = head === undefined ? 0 : head.revision + 1;
  if (revision > expected) throw new LogCorrupt(`The event at revision ${expected} of ${stream} is missing`);
  return { revision, chain: verifyChain(head?.chain ?? CHAIN_START, event) };
}

export const headWrite = (stream: string, head: StreamDocument): DocumentWrite => ({
  op: 'put',
  collection: COLLECTION,
  key: [stream],
  revision: head.revision,
  value: toJson(head),
});
