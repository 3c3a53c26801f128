import type { DocumentKey, DocumentWrite, NewestDocument } from '@rollcall/application';
import { applied, documents, indexed, parse, put, remove } from './read-models.support.js';
import type { WritableReadModels } from '../support/writable.js';

/** What an event does to one document of its stream: adds itself to it, or removes it. */
export interface Touch {
  readonly document: number;
  readonly removes: boolean;
}

/** An event of a small log, which touches each document at most once. */
export interface TinyEvent {
  readonly stream: number;
  readonly revision: number;
  readonly touches: readonly Touch[];
}

const collection = 'dated';
const streamOf = (space: number, { stream }: TinyEvent): string => `stream-${space}-${stream}`;
const keyOf = (space: number, { stream }: TinyEvent, { document }: Touch): DocumentKey => [
  space,
  stream,
  document,
];

interface Content {
  readonly seen: readonly number[];
}

export interface TinyRun {
  readonly store: WritableReadModels;
  /** Keeps runs in one store apart. */
  readonly space: number;
  /** In the order of the log. */
  readonly events: readonly TinyEvent[];
  /** Each document in a write of its own, as a store without transactions may carry them out. */
  readonly isTorn: boolean;
}

/** Projects the log by the rules of the port; stops before each call of the store, where others may come, or its end. */
export async function* projecting(run: TinyRun): AsyncGenerator<void, void> {
  const { store, space, events } = run;
  for (const event of events) {
    yield;
    const [done] = await store.newest('streams', [[streamOf(space, event)]]);
    if (done !== undefined && done.revision >= event.revision) continue;
    yield;
    const keys = event.touches.map((touch) => keyOf(space, event, touch));
    const stored = await store.newest(collection, keys);
    const writes = event.touches.flatMap((touch, n) => evolved(space, event, { touch, stored: stored[n] }));
    const last = applied(streamOf(space, event), event.revision);
    for (const one of run.isTorn ? writes : []) {
      yield;
      await store.write([[one]]);
    }
    yield;
    await store.write(run.isTorn ? [[last]] : [writes, [last]]);
  }
}

function evolved(
  space: number,
  event: TinyEvent,
  { touch, stored }: { touch: Touch; stored: NewestDocument | undefined },
): DocumentWrite[] {
  const { revision, stream } = event;
  if (stored !== undefined && stored.revision >= revision) return [];
  const key = keyOf(space, event, touch);
  if (touch.removes) return [remove(key, { collection, revision })];
  const { seen } = (parse(stored?.value) ?? { seen: [] }) as Content;
  const due = [space, stream === 0 ? revision : -revision];
  return [put(key, { seen: [...seen, revision] }, { collection, revision, indexed: { due } })];
}

/** All that there is to find, by key and by index, and which streams are applied how far. */
export async function contents(
  store: WritableReadModels,
  space: number,
  events: readonly TinyEvent[],
): Promise<unknown> {
  const streams = [...new Set(events.map((event) => streamOf(space, event)))].toSorted();
  const found = await store.newest(
    'streams',
    streams.map((stream): DocumentKey => [stream]),
  );
  return {
    documents: await documents(store, { prefix: [space] }, collection),
    index: await indexed(store, { prefix: [space] }),
    streams: streams.map((stream, n) => [stream, found[n]?.revision]),
  };
}

/** What `contents` has to give, made without a store. */
export function folded(space: number, events: readonly TinyEvent[]): unknown {
  const live = new Map<string, { key: number[]; seen: number[]; due: number }>();
  const streams = new Map<string, number>();
  for (const event of events) {
    streams.set(streamOf(space, event), event.revision);
    for (const touch of event.touches) {
      const key = [space, event.stream, touch.document];
      const seen = [...(live.get(key.join())?.seen ?? []), event.revision];
      if (touch.removes) live.delete(key.join());
      else live.set(key.join(), { key, seen, due: event.stream === 0 ? event.revision : -event.revision });
    }
  }
  const byKey = [...live.values()].toSorted((a, b) => inOrder(a.key, b.key));
  const byDue = byKey.toSorted((a, b) => a.due - b.due || inOrder(a.key, b.key));
  return {
    documents: byKey.map(({ seen }) => ({ seen })),
    index: byDue.map(({ key }) => key),
    streams: [...streams].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  };
}

function inOrder(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, n) => part !== b[n]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
