import {
  UnwritableDocument,
  type DocumentKey,
  type DocumentWrite,
  type IndexEntry,
} from '@rollcall/application';

export type Put = Extract<DocumentWrite, { op: 'put' }>;
export type Remove = Extract<DocumentWrite, { op: 'remove' }>;

export const keeps = (write: Put): boolean => (write.keep?.length ?? 0) > 0;

/** Whether a write can be carried out only with the stored document at hand. */
export const readsBefore = (write: DocumentWrite): boolean =>
  write.indexedBy !== undefined || (write.op === 'put' && (keeps(write) || write.ifStored !== undefined));

/** Whether the document that is stored, if any, is one that `ifStored` asks for. */
export function isWanted({ ifStored }: Put, old: Uint8Array | undefined): boolean {
  if (ifStored === undefined) return true;
  if (old === undefined) return false;
  const value = parseObject(old)[ifStored.member];
  return ifStored.in.some((one) => one === value);
}

/** The JSON text that a put leaves behind, with what the stored document hands on. */
export function withKept(write: Put, old: Uint8Array | undefined): Uint8Array {
  if (old === undefined || !keeps(write)) return write.json;
  const members = new Map(Object.entries(parseObject(write.json)));
  const kept = parseObject(old);
  for (const name of write.keep ?? []) if (Object.hasOwn(kept, name)) members.set(name, kept[name]);
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

/** The key of the entry that goes with a stored document. `UnwritableDocument` where that lacks the member. */
export function entryKey(old: Uint8Array, { prefix, member, suffix = [] }: IndexEntry): DocumentKey {
  const value = parseObject(old)[member];
  if (typeof value === 'number') return [...prefix, value, ...suffix];
  if (typeof value === 'string' && suffix.length === 0) return [...prefix, value];
  throw new UnwritableDocument('a stored document lacks the member it is indexed by');
}

function parseObject(json: Uint8Array): Record<string, unknown> {
  const value = parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value));
  throw new UnwritableDocument('only a document that is a JSON object can keep members');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
