import { chainOf, readModelCollections, withChain, type EventLog } from '@rollcall/application';
import { projections, rebuildInto } from '@rollcall/projector';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, scoped } from '../support/rig.js';
import { frozenLines, frozenNames } from './frozen-files.js';

/** An event as it stands in a frozen log; what follows from the others, its revision and its chain value, is left out. */
export interface FrozenEvent {
  readonly stream: string;
  /** As stored: with the version from 2 on. */
  readonly type: string;
  readonly id: string;
  readonly metadata: object;
  readonly data: object;
}

export const frozenLogs = (): string[] => frozenNames('log-');
export const eventsOf = (log: string): FrozenEvent[] => frozenLines(`${log}.jsonl`) as FrozenEvent[];

/** Where the documents of a collection stand that are made from a log. */
export const documentsFile = (log: string, { name, version }: { name: string; version: number }): string =>
  `${log}/${name}-${version}.txt`;

/** Projects a log event by event; the text of each collection, a line for each document. */
export async function projected(events: readonly FrozenEvent[]): Promise<ReadonlyMap<string, string>> {
  const store = new ModelReadModels();
  await scoped(async (scope) => {
    const rig = await openRig(scope);
    const append = appenderTo(rig.log);
    for (const event of events) await rebuildInto(store, { log: rig.log, projections }, await append(event));
  });
  const [parked] = await store.parkedStreams();
  if (parked !== undefined) throw new Error(`${parked.stream} is parked: ${parked.problem}`);
  const documents = store.documents();
  return new Map(
    readModelCollections.map(({ name }) => [
      name,
      documents
        .filter(({ collection }) => collection === name)
        .map(({ text }) => `${text.replace(/[^\x20-\x7e]|%/g, inPercent)}\n`)
        .join(''),
    ]),
  );
}

/** Bytes that are no plain text: one line is one document. */
const inPercent = (byte: string): string => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Appends an event behind the others of its stream, and gives its position. */
export function appenderTo(log: EventLog): (event: FrozenEvent) => Promise<bigint> {
  const heads = new Map<string, { readonly revision: number; readonly chain: string }>();
  return async ({ stream, type, id, ...event }) => {
    const before = heads.get(stream) ?? { revision: -1, chain: '0'.repeat(64) };
    const revision = before.revision + 1;
    const [metadata, data] = [JSON.stringify(event.metadata), Buffer.from(JSON.stringify(event.data))];
    const chain = chainOf(before.chain, { stream, revision, id, type, data, metadata });
    heads.set(stream, { revision, chain });
    const stored = { id, type, data, metadata: Buffer.from(withChain(metadata, chain)) };
    const expected = revision === 0 ? 'no-stream' : before.revision;
    const result = await log.append(stream, expected, [{ ...stored, contentType: 'json' }]);
    if (result.outcome !== 'appended') throw new Error(`${stream} has another revision`);
    return result.position;
  };
}
