import type {
  DocumentKey,
  DocumentWrite,
  FindOptions,
  IndexOptions,
  Progress,
  ReadModelReader,
  ReadModelWriter,
} from '@rollcall/application';

export const START: Progress = { position: undefined };
export const at = (position: bigint): Progress => ({ position });

interface More {
  readonly collection?: string;
  /** Absent: higher than of all writes that were made before. */
  readonly revision?: number;
  readonly indexed?: Readonly<Record<string, readonly number[]>>;
}

let lastRevision = 0;
const next = (): number => (lastRevision += 1);

export const put = (
  key: DocumentKey,
  document: unknown,
  { collection = 'things', revision = next(), indexed }: More = {},
): DocumentWrite => ({
  op: 'put',
  collection,
  key,
  revision,
  value: Buffer.from(JSON.stringify(document)),
  ...(indexed && { indexed }),
});

export const remove = (
  key: DocumentKey,
  { collection = 'things', revision = next() }: More = {},
): DocumentWrite => ({ op: 'remove', collection, key, revision });

/** Says that an event of a stream is applied. */
export const applied = (stream: string, revision: number): DocumentWrite =>
  put([stream], { revision }, { collection: 'streams', revision });

/** All in one stage. */
export const write = (store: ReadModelWriter, ...writes: DocumentWrite[]): Promise<void> =>
  store.write([writes]);

/** Moves the progress on by one, and insists on it. */
export async function advance(store: ReadModelReader & ReadModelWriter): Promise<bigint> {
  const progress = await store.progress();
  const position = (progress.position ?? 0n) + 1n;
  if (!(await store.advance(progress, at(position)))) throw new Error('somebody else moved it');
  return position;
}

export const parse = (value: Uint8Array | undefined): unknown =>
  value === undefined ? undefined : JSON.parse(Buffer.from(value).toString('utf8'));

export const read = async (
  store: ReadModelReader,
  key: DocumentKey,
  collection = 'things',
): Promise<unknown> => parse(await store.get(collection, key));

export async function keys(
  store: ReadModelReader,
  options: FindOptions,
  collection = 'things',
): Promise<DocumentKey[]> {
  const found: DocumentKey[] = [];
  for await (const document of store.find(collection, options)) found.push(document.key);
  return found;
}

export async function documents(
  store: ReadModelReader,
  options: FindOptions,
  collection = 'things',
): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const document of store.find(collection, options)) found.push(parse(document.value));
  return found;
}

/** The keys of those that an index of `dated` gives, in its order. */
export async function indexed(
  store: ReadModelReader,
  options: IndexOptions,
  index = 'due',
): Promise<DocumentKey[]> {
  const found: DocumentKey[] = [];
  for await (const document of store.findByIndex('dated', index, options)) found.push(document.key);
  return found;
}
