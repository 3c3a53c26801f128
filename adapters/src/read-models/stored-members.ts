import { UnwritableDocument, type DocumentWrite } from './port.js';

export type Put = Extract<DocumentWrite, { op: 'put' }>;
export type Remove = Extract<DocumentWrite, { op: 'remove' }>;

export const keeps = (write: Put): boolean => (write.keep?.length ?? 0) > 0;

/** Whether a write can be carried out only with the stored document at hand. */
export const readsBefore = (write: DocumentWrite): boolean =>
  write.op === 'put' ? keeps(write) || write.ifStored !== undefined : write.indexedBy !== undefined;

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

/** The text by which a stored document is indexed. `UnwritableDocument` where it lacks it. */
export function indexedText(old: Uint8Array, member: string): string {
  const text = parseObject(old)[member];
  if (typeof text === 'string') return text;
  throw new UnwritableDocument('a removed document lacks the member it is indexed by');
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
