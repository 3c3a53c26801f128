import type {
  DocumentKey,
  DocumentWrite,
  FindOptions,
  Progress,
  ReadModelReader,
  ReadModelWriter,
} from '@rollcall/application';

export const START: Progress = { position: undefined, parts: 0 };
export const at = (position: bigint, parts = 0): Progress => ({ position, parts });

export type IfStored = NonNullable<Extract<DocumentWrite, { op: 'put' }>['ifStored']>;

/** Conditions of a put. */
type More = Partial<
  Pick<Extract<DocumentWrite, { op: 'put' }>, 'keep' | 'ifStored' | 'unless' | 'indexedBy'>
>;

export const put = (
  key: DocumentKey,
  document: object,
  { collection = 'things', ...more }: More & { readonly collection?: string } = {},
): DocumentWrite => ({
  op: 'put',
  collection,
  key,
  json: Buffer.from(JSON.stringify(document)),
  ...more,
});

export const remove = (key: DocumentKey, collection = 'things'): DocumentWrite => ({
  op: 'remove',
  collection,
  key,
});

/** Applies behind whatever is applied already, and insists on it. */
export async function write(
  store: ReadModelReader & ReadModelWriter,
  ...writes: DocumentWrite[]
): Promise<bigint> {
  const progress = await store.progress();
  const position = (progress.position ?? 0n) + 1n;
  if (!(await store.apply(progress, writes, at(position)))) throw new Error('somebody else wrote');
  return position;
}

export const parse = (json: Uint8Array | undefined): unknown =>
  json === undefined ? undefined : JSON.parse(Buffer.from(json).toString('utf8'));

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
  for await (const document of store.find(collection, options)) found.push(parse(document.json));
  return found;
}
