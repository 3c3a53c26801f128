import type { CompanySettingsState } from '../companies/index.js';
import { DigestTable } from '@rollcall/employee-lists';
import { decodeState, type EncodedManagerRoles, encodeState, stateBytes } from '../managers/evolve.js';
import type { CompanyState, RevisionOfKind } from './company-state.js';
import { KeptKeys } from './kept-keys.js';
import type { KeptKey, PendingImport } from './pending.js';

/** Raise it with every change of the snapshot's content or form; older ones are then ignored. */
export const companyStateVersion = 6;

interface SnapshotHeader {
  readonly settings: CompanySettingsState;
  readonly lastBody: CompanyState['lastBody'];
  readonly count: number;
  readonly lastNumber: number;
  readonly setDigest: string;
  readonly managers: EncodedManagerRoles;
  readonly pending: readonly PendingImport[];
  readonly keys: readonly (readonly [keyHash: string, KeptKey])[];
  readonly revisions: RevisionOfKind;
  readonly accepted: RevisionOfKind;
  readonly held: boolean;
}

/** idDigest, digest, number. */
const entryBytes = 16 + 16 + 8;

function headerOf(state: CompanyState): SnapshotHeader {
  const { settings, lastBody, pending, revisions, accepted, held } = state;
  const { count, lastNumber, setDigest } = state.employees;
  const managers = encodeState(state.managers);
  const keys = state.keys.entries();
  return {
    settings,
    lastBody,
    count,
    lastNumber,
    setDigest,
    managers,
    pending,
    keys,
    revisions,
    accepted,
    held,
  };
}

/** One buffer: length of a JSON header, the header, padding to 8 bytes, the arrays in sequence. */
export function encodeCompanyState(state: CompanyState): Uint8Array {
  const { count, ids, digests, numbers } = state.employees;
  const text = Buffer.from(JSON.stringify(headerOf(state)));
  const start = paddedTo8(4 + text.length);
  const bytes = new Uint8Array(start + count * entryBytes);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, 4);
  bytes.set(bytesOf(numbers, count * 8), start);
  bytes.set(bytesOf(ids.words, count * 16), start + count * 8);
  bytes.set(bytesOf(digests, count * 16), start + count * 24);
  return bytes;
}

/** Undefined where the buffer is damaged. Reader and writer have the same byte order: it is a cache. */
export function decodeCompanyState(source: Uint8Array): CompanyState | undefined {
  const bytes = Uint8Array.from(source);
  if (bytes.length < 4) return undefined;
  const headerLength = new DataView(bytes.buffer).getUint32(0);
  const start = paddedTo8(4 + headerLength);
  if (bytes.length < start) return undefined;
  const header = JSON.parse(Buffer.from(bytes.buffer, 4, headerLength).toString()) as SnapshotHeader;
  const { count, lastNumber, setDigest, managers, keys, ...others } = header;
  if (bytes.length !== start + count * entryBytes) return undefined;
  const words = new Uint32Array(bytes.buffer, start + count * 8, count * 4);
  const ids = new DigestTable(count);
  for (let i = 0; i < count; i++) ids.insert(words, i * 4);
  if (ids.count !== count) return undefined;
  const digests = new Uint32Array(bytes.buffer, start + count * 24, count * 4);
  const numbers = new Float64Array(bytes.buffer, start, count);
  return {
    ...others,
    managers: decodeState(managers),
    keys: KeptKeys.of(keys),
    employees: { count, lastNumber, setDigest, ids, digests, numbers },
  };
}

export const companyStateBytes = (state: CompanyState): number =>
  4096 +
  state.employees.count * (entryBytes + 16) +
  stateBytes(state.managers) +
  state.pending.length * 1024 +
  state.keys.size * 512;

const paddedTo8 = (length: number): number => Math.ceil(length / 8) * 8;

const bytesOf = (array: Uint32Array | Float64Array, length: number): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, length);
