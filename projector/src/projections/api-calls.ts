import { STATUS_CODES } from 'node:http';
import {
  apiCallsCollection,
  type ApiCallAttempts,
  attemptsCollection,
  callIndexes,
  callRowIn,
  heldReason,
  type CallRow,
  toCallDocument,
  fromJson,
  pendingImportsCollection as collection,
  type PendingImportDocument,
  type ShownHold,
  toJson,
  type LoadedEvent,
} from '@rollcall/application/read';
import {
  type EmployeeSetSummary,
  type EventName,
  type ImportKind,
  importMethod,
  undoMethod,
  type DomainEventOf,
  type EventData,
} from '@rollcall/contracts';
import { managers, recordedErrors, recordedReason } from '@rollcall/domain';
import { companyOf, replaced, type Projection, type ReadEvent, removed } from '../projection.js';
import type { DocumentChange } from '../document-changes.js';

type From = Pick<ReadEvent, 'stream' | 'revision' | 'metadata'>;

/** `api-calls` [companyId, operationId], in call order; indexes newest first. Owned by the company's stream; a refused call by its operation's. */
export const apiCalls: Projection = {
  collection: apiCallsCollection,
  changes: {
    ImportQueued: (event) => {
      const { operationId, method } = event.data;
      return [put(event, operationId, rowOf(event, method))];
    },
    EmployeeSetReplaced: employeeSet,
    EmployeeSetConfirmed: employeeSet,
    ManagerRolesImported: managerRoles,
    ManagerRolesConfirmed: managerRoles,
    ImportFailed: (event) => {
      const { operationId, kind, ...failure } = event.data;
      const Result = recordedReason(failure.reason);
      const ValidationErrors = recordedErrors(failure.validationErrors);
      const row = completed(event, kind, failure.status);
      return [put(event, operationId, { ...row, Result, ValidationErrors }, true)];
    },
    ImportCancelled: (event) => {
      const { operationId, kind } = event.data;
      const { reason } = event.metadata;
      const Result = reason === undefined ? 'Cancelled' : recordedReason(`Cancelled: ${reason}`);
      return [put(event, operationId, { ...completed(event, kind, 409), Result }, true)];
    },
    ImportRejected: (event) => {
      const { operationId, kind } = event.data;
      const { reason } = event.metadata;
      const Result = reason === undefined ? 'Rejected' : recordedReason(`Rejected: ${reason}`);
      return [put(event, operationId, { ...completed(event, kind, 409), Result }, true)];
    },
    ImportHeld: (event) => {
      const { operationId, inserted, updated, removed } = event.data;
      const counts = { Inserted: inserted, Updated: updated, Removed: removed };
      const row = { ...rowOf(event, ''), HttpStatusReason: heldReason, ...counts };
      return [put(event, operationId, row, true)];
    },
    ImportApproved: (event) => [put(event, event.data.operationId, rowOf(event, ''), true)],
    ImportRefused: (event) => {
      const { data } = event;
      const { recordedAt: CompletedOn, operationId } = event.metadata;
      const row = { ...rowOf(event, data.method), ...status(data.status), CompletedOn };
      return [put(event, operationId, { ...row, ValidationErrors: recordedErrors(data.validationErrors) })];
    },
  },
};

/** `api-call-attempts` [companyId, operationId]: shown until the row is complete. */
export const apiCallAttempts: Projection = {
  collection: attemptsCollection,
  changes: {
    ImportStarted: attempted('ImportStarted'),
    ImportProgressed: attempted('ImportProgressed'),
    ImportAttemptFailed: attempted('ImportAttemptFailed'),
  },
};

function attempted<N extends EventName>(name: N) {
  return (event: ReadEvent<N>): readonly DocumentChange[] => {
    const document: ApiCallAttempts = { Progress: attemptOf(name, event.data) ?? null };
    return [replaced([companyOf(event), event.metadata.operationId], document)];
  };
}

function employeeSet(event: From & { readonly data: EmployeeSetSummary }): readonly DocumentChange[] {
  const { inserted, updated, removed } = event.data;
  const counts = { Inserted: inserted, Updated: updated, Removed: removed };
  const row = { ...completed(event, 'employees', 200), ...counts };
  return [put(event, event.metadata.operationId, row, true)];
}

function managerRoles(
  event: From & { readonly data: managers.ManagerImportCounts },
): readonly DocumentChange[] {
  const row = {
    ...completed(event, 'managers', 200),
    Inserted: event.data.created,
    Removed: event.data.disabled,
    Result: managers.resultText(event.data),
  };
  return [put(event, event.metadata.operationId, row, true)];
}

function rowOf(event: From, method: string): CallRow {
  const { userId, username, receivedAt } = event.metadata;
  return {
    UserId: userId,
    Username: username,
    CreatedOn: receivedAt,
    Method: method,
    ...status(202),
    CompletedOn: null,
    Inserted: 0,
    Updated: 0,
    Removed: 0,
    Result: null,
    ValidationErrors: [],
    Progress: null,
  };
}

const completed = (event: From, kind: ImportKind, code: number): CallRow => ({
  ...rowOf(event, methodOf(event, kind)),
  ...status(code),
  CompletedOn: event.metadata.recordedAt,
});

function methodOf(event: From, kind: ImportKind): string {
  const { undoes } = event.metadata;
  return undoes === undefined ? importMethod(kind, companyOf(event)) : undoMethod(undoes);
}

const status = (code: number): Pick<CallRow, 'HttpStatusCode' | 'HttpStatusReason'> => ({
  HttpStatusCode: code,
  HttpStatusReason: STATUS_CODES[code] ?? '',
});

/** At its end the call's own data stay as queued, also where another user ended it. */
function put(event: From, operationId: string, row: CallRow, isEnd = false): DocumentChange {
  const key = [companyOf(event), operationId] as const;
  const indexed = callIndexes(key, row, event.revision);
  return {
    key,
    evolve: (stored) => {
      const { UserId, Username, CreatedOn, Method } = isEnd && stored ? callRowIn(stored) : row;
      return { value: toCallDocument({ ...row, UserId, Username, CreatedOn, Method }), indexed };
    },
  };
}

/** By the queued operation, or by one that was never queued. */
const ownEnd = (event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>): readonly DocumentChange[] => [
  removed([companyOf(event), event.metadata.operationId]),
];

const withHold = (
  event: Pick<ReadEvent, 'metadata' | 'revision' | 'stream'>,
  operationId: string,
  next: (before: ShownHold | undefined) => ShownHold | undefined,
): DocumentChange => ({
  key: [companyOf(event), operationId],
  evolve: (stored) => {
    if (stored === undefined) return undefined;
    const document = fromJson(stored) as PendingImportDocument;
    return { value: toJson({ ...document, hold: next(document.hold) }) };
  },
});

/** `pending-imports` [companyId, operationId]: queued imports without a terminal event, ordered by `revision`. */
export const pendingImports: Projection = {
  collection,
  changes: {
    ImportQueued: (event) => {
      const { operationId, kind, method, elements } = event.data;
      const { userId, username, recordedAt: queuedAt } = event.metadata;
      const [companyId, { revision }] = [companyOf(event), event];
      const caller = { userId, username, queuedAt };
      const document: PendingImportDocument = {
        operationId,
        companyId,
        kind,
        revision,
        method,
        ...caller,
        elements,
      };
      return [replaced([companyId, operationId], document)];
    },
    EmployeeSetReplaced: ownEnd,
    EmployeeSetConfirmed: ownEnd,
    ManagerRolesImported: ownEnd,
    ManagerRolesConfirmed: ownEnd,
    ImportFailed: (event) => [removed([companyOf(event), event.data.operationId])],
    // Its own operation is the command.
    ImportCancelled: (event) => [removed([companyOf(event), event.data.operationId])],
    ImportRejected: (event) => [removed([companyOf(event), event.data.operationId])],
    ImportHeld: (event) => {
      const { operationId, inserted, updated, removed, present, limit, outcome } = event.data;
      const hold = { inserted, updated, removed, present, limit, outcome, since: event.metadata.recordedAt };
      return [withHold(event, operationId, () => ({ ...hold, isApproved: false }))];
    },
    ImportApproved: (event) => [
      withHold(event, event.data.operationId, (hold) => hold && { ...hold, isApproved: true }),
    ],
  },
};

const causes: Readonly<Record<DomainEventOf<'ImportInterrupted'>['data']['cause'], string>> = {
  outage: 'interrupted by an outage',
  stop: 'ended early: its worker was told to end, or the import is held',
  overtaken: 'started by another worker too',
};

/** `Attempt 2: reading, 40 %`. */
const texts: { readonly [N in EventName]?: (data: EventData<N>) => string } = {
  ImportStarted: ({ attempt }) => `Attempt ${attempt}: started`,
  ImportInterrupted: ({ attempt, cause }) => `Attempt ${attempt}: ${causes[cause]}`,
  ImportProgressed: ({ attempt, stage, percent }) => `Attempt ${attempt}: ${stage}, ${percent} %`,
  ImportAttemptFailed: ({ attempt, problem }) => `Attempt ${attempt} failed: ${recordedReason(problem)}`,
};

function attemptOf(name: EventName, data: unknown): string | undefined {
  const text = texts[name] as ((data: unknown) => string) | undefined;
  return text?.(data);
}

export const attemptText = async (event: LoadedEvent): Promise<string | undefined> =>
  texts[event.name] === undefined ? undefined : attemptOf(event.name, await event.data(event.name));
