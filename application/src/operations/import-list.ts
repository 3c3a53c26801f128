import type { ImportKind } from '@rollcall/contracts';
import { batched, together } from '../grouped-by.js';
import type { ReadModelReader, StoredDocument } from '../ports/read-models.js';
import {
  calledAt,
  callRowIn,
  callStateOf,
  callStates,
  type CallRow,
  isHeldCall,
  isRejectedCall,
  stateIndex,
} from '../read-models/call-row.js';
import {
  apiCallsCollection,
  attemptsCollection,
  fromJson,
  type ApiCallAttempts,
} from '../read-models/documents.js';

export const importStates = [
  'waiting',
  'running',
  'held',
  'done',
  'failed',
  'refused',
  'cancelled',
  'rejected',
] as const;
export type ImportState = (typeof importStates)[number];

export interface ListedImport extends CallRow {
  readonly companyId: number;
  readonly operationId: string;
  /** Of the event that wrote the row last: on the company's stream, or on the operation's for a refused call. */
  readonly revision: number;
  readonly kind: ImportKind;
  readonly state: ImportState;
}

export interface ImportQuery {
  readonly companyId?: number | undefined;
  /** `waiting`: the running ones too. */
  readonly state?: ImportState | undefined;
  /** A user's id or name. */
  readonly user?: string | undefined;
  /** When the call came (ms): from here on, and before `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The cursor of the page before: an operation, or where that page has stopped to look. Exclusive. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface ImportPage {
  readonly imports: readonly ListedImport[];
  /** The cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
  /** The page ends here because it has looked at enough, and older imports may match. */
  readonly stoppedAt: string | undefined;
}

export type ListReader = Pick<ReadModelReader, 'find' | 'findByIndex' | 'getMany'>;

/** Rows that one page looks at: filters without an index do not read everything. */
export const maxLooked = 4_000;

const codes: Readonly<Record<ImportState, number | undefined>> = {
  waiting: callStates.open,
  running: callStates.open,
  held: callStates.open,
  done: undefined,
  failed: callStates.failed,
  refused: callStates.refused,
  cancelled: callStates.cancelled,
  rejected: callStates.cancelled,
};

/** Newest first, by when the calls came. */
export async function listImports(readModels: ListReader, query: ImportQuery): Promise<ImportPage> {
  const { limit, before } = query;
  const imports: ListedImport[] = [];
  let looked = 0;
  let last: string | undefined;
  for await (const batch of batched(newestFirst(readModels, query))) {
    for (const one of await withAttempts(readModels, batch)) {
      last = one.operationId;
      if (!matches(one, query)) continue;
      imports.push(one);
      if (imports.length > limit) {
        const shown = imports.slice(0, limit);
        return { imports: shown, next: shown.at(-1)?.operationId, stoppedAt: undefined };
      }
    }
    looked += batch.length;
    if (looked >= maxLooked) return { imports, next: last, stoppedAt: last ?? before };
  }
  return { imports, next: undefined, stoppedAt: undefined };
}

/** Undefined where no such import is shown. `companyId` undefined: of any company. */
export async function findImport(
  readModels: ListReader,
  operationId: string,
  companyId?: number,
): Promise<ListedImport | undefined> {
  const at = calledAt(operationId);
  if (!Number.isFinite(at)) return undefined;
  for await (const batch of batched(newestFirst(readModels, { companyId, from: at, to: at + 1, limit: 1 })))
    for (const one of await withAttempts(readModels, batch)) if (one.operationId === operationId) return one;
  return undefined;
}

function matches({ state, UserId, Username }: ListedImport, query: ImportQuery): boolean {
  const isOpen = query.state === 'waiting' && state === 'running';
  if (query.state !== undefined && query.state !== state && !isOpen) return false;
  const { user } = query;
  return user === undefined || user === String(UserId) || user.toLowerCase() === Username.toLowerCase();
}

/** The first id of a moment (ms): ids of version 7 begin with it. */
export function idFrom(ms: number): string {
  const text = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${text.slice(0, 8)}-${text.slice(8)}`;
}

/** By falling operation id. */
export async function* newestFirst(readModels: ListReader, query: ImportQuery): AsyncGenerator<ListedImport> {
  const isWanted = wantedBy(query);
  let moment: ListedImport[] = [];
  for await (const one of found(readModels, query)) {
    const at = calledAt(one.operationId);
    if (at < (query.from ?? 0)) break;
    if (!isWanted(one, at)) continue;
    // An index has the calls of one millisecond in the order of their keys.
    if (moment[0] !== undefined && calledAt(moment[0].operationId) !== at) {
      yield* moment;
      moment = [];
    }
    moment.push(one);
    moment.sort((a, b) => (a.operationId < b.operationId ? 1 : -1));
  }
  yield* moment;
}

const behindAllIds = 'g';

const wantedBy =
  ({ to = Infinity, before = behindAllIds }: ImportQuery) =>
  ({ operationId }: ListedImport, at: number): boolean =>
    at < to && operationId < before;

async function* found(readModels: ListReader, query: ImportQuery): AsyncGenerator<ListedImport> {
  for await (const { key, revision, value } of documents(readModels, query)) {
    const row = callRowIn(value);
    const [companyId, operationId] = [Number(key[0]), String(key[1])];
    yield { companyId, operationId, revision, kind: kindOf(row), state: stateOf(row, revision), ...row };
  }
}

function documents(readModels: ListReader, query: ImportQuery): AsyncIterable<StoredDocument> {
  const { companyId, state, user, limit } = query;
  const code = state && codes[state];
  const isFiltered = (user ?? state) !== undefined;
  const most = isFiltered ? maxLooked + together : limit + together;
  if (code === undefined && companyId !== undefined) return ofCompany(readModels, companyId, query, most);
  const range = { ...momentsOf(query), limit: most };
  const [index, prefix] = code === undefined ? (['time', []] as const) : stateIndex(companyId, code);
  return readModels.findByIndex(apiCallsCollection, index, { prefix, ...range });
}

/** The moment before which calls count (ms). */
const newestOf = ({ to = Infinity, before }: ImportQuery): number =>
  Math.min(to, before === undefined ? Infinity : calledAt(before) + 1);

function momentsOf(query: ImportQuery) {
  const newest = newestOf(query);
  return {
    ...(Number.isFinite(newest) && { from: 1 - newest }),
    ...(query.from !== undefined && { upTo: -query.from }),
  };
}

/** By its keys, which are in the order of the calls. */
function ofCompany(
  readModels: ListReader,
  companyId: number,
  query: ImportQuery,
  limit: number,
): AsyncIterable<StoredDocument> {
  const { before } = query;
  const newest = newestOf(query);
  const isOfCursor = before !== undefined && newest > calledAt(before);
  const after = [companyId, isOfCursor ? before : idFrom(newest)] as const;
  const bound = Number.isFinite(newest) ? { after } : {};
  return readModels.find(apiCallsCollection, { prefix: [companyId], ...bound, limit, reverse: true });
}

/** An undo's `Method` names no kind: it is done, and only one of managers has a `Result` then. */
const kindOf = ({ Method, Result }: CallRow): ImportKind =>
  Method.endsWith('/ManagerImport') || (!Method.startsWith('PUT ') && Result !== null)
    ? 'managers'
    : 'employees';

function stateOf(row: CallRow, revision: number): ImportState {
  const state = callStateOf(row, revision);
  if (state === 'open') return isHeldCall(row) ? 'held' : 'waiting';
  if (state === 'cancelled') return isRejectedCall(row) ? 'rejected' : 'cancelled';
  return state ?? 'done';
}

async function withAttempts(
  readModels: Pick<ListReader, 'getMany'>,
  batch: readonly ListedImport[],
): Promise<readonly ListedImport[]> {
  const waiting = batch.filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) return batch;
  const keys = waiting.map(({ companyId, operationId }) => [companyId, operationId] as const);
  const attempts = await readModels.getMany(
    attemptsCollection,
    keys,
    (stored) => (fromJson(stored) as ApiCallAttempts | undefined)?.Progress ?? null,
  );
  const progress = new Map(keys.map(([, operationId], at) => [operationId, attempts[at] ?? null]));
  return batch.map((one) => {
    const Progress = progress.get(one.operationId) ?? null;
    return Progress === null ? one : { ...one, state: 'running', Progress };
  });
}
