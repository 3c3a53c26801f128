import type { EmployeeSetSummary } from '@rollcall/contracts';
import { type CompanySettingsState, initialState as initialSettings } from '../companies/index.js';
import { DigestTable } from '../employees/digest-table.js';
import type { EmployeeSetState } from '../employees/decide.js';
import { type EmployeeSet, emptySet } from '../employees/set-state.js';

/** Everything that decisions about a company read; the fold of its stream. */
export type CompanyState = EmployeeSetState;

/** Raise with every change of what a snapshot holds or how: older ones are then left alone. */
export const companyStateVersion = 1;

export const initialCompanyState = (): CompanyState => ({
  settings: initialSettings(),
  employees: emptySet(),
  lastBody: null,
});

/** After `EmployeeSetReplaced` (with the set that it led to) or `EmployeeSetConfirmed` (with the set as it was). */
export const afterImport = (
  state: CompanyState,
  summary: EmployeeSetSummary,
  employees: EmployeeSet,
): CompanyState => ({
  ...state,
  employees,
  lastBody: { sha256: summary.bodySha256, digestVersion: summary.digestVersion },
});

interface SnapshotHeader {
  readonly settings: CompanySettingsState;
  readonly lastBody: CompanyState['lastBody'];
  readonly count: number;
  readonly lastNumber: number;
  readonly setDigest: string;
}

/** Bytes for each employee in a snapshot: idDigest, digest, number. */
const entryBytes = 16 + 16 + 8;

/** The state as one buffer: length of a JSON header, the header, padding to 8 bytes, then the arrays one after the other. */
export function encodeCompanyState(state: CompanyState): Uint8Array {
  const { count, lastNumber, setDigest, ids, digests, numbers } = state.employees;
  const header: SnapshotHeader = {
    settings: state.settings,
    lastBody: state.lastBody,
    count,
    lastNumber,
    setDigest,
  };
  const text = Buffer.from(JSON.stringify(header));
  const start = paddedTo8(4 + text.length);
  const bytes = new Uint8Array(start + count * entryBytes);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, 4);
  bytes.set(bytesOf(numbers, count * 8), start);
  bytes.set(bytesOf(ids.words, count * 16), start + count * 8);
  bytes.set(bytesOf(digests, count * 16), start + count * 24);
  return bytes;
}

/** The inverse; undefined where the buffer is not whole. Both ends run on machines of one byte order: it is a cache. */
export function decodeCompanyState(source: Uint8Array): CompanyState | undefined {
  const bytes = Uint8Array.from(source);
  if (bytes.length < 4) return undefined;
  const headerLength = new DataView(bytes.buffer).getUint32(0);
  const start = paddedTo8(4 + headerLength);
  if (bytes.length < start) return undefined;
  const header = JSON.parse(Buffer.from(bytes.buffer, 4, headerLength).toString()) as SnapshotHeader;
  const { count, lastNumber, setDigest, settings, lastBody } = header;
  if (bytes.length !== start + count * entryBytes) return undefined;
  const words = new Uint32Array(bytes.buffer, start + count * 8, count * 4);
  const ids = new DigestTable(count);
  for (let i = 0; i < count; i++) ids.insert(words, i * 4);
  if (ids.count !== count) return undefined;
  return {
    settings,
    lastBody,
    employees: {
      count,
      lastNumber,
      setDigest,
      ids,
      digests: new Uint32Array(bytes.buffer, start + count * 24, count * 4),
      numbers: new Float64Array(bytes.buffer, start, count),
    },
  };
}

/** About how much memory a state takes. */
export const companyStateBytes = (state: CompanyState): number =>
  4096 + state.employees.count * (entryBytes + 16);

const paddedTo8 = (length: number): number => Math.ceil(length / 8) * 8;

const bytesOf = (array: Uint32Array | Float64Array, length: number): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, length);
