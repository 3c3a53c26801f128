import { STATUS_CODES } from 'node:http';
import { eventData, LogCorrupt, type DocumentWrite, type LoadedEvent } from '@rollcall/application/read';
import type { ApiCall, ImportKind } from '@rollcall/contracts';
import { managers, readSetSummary, recordedErrors, recordedReason } from '@rollcall/domain';
import { companyOf, toJson, type Projection } from '../projection.js';
import { attemptText } from './attempt-text.js';

/**
 * `api-calls` [companyId, operationId]: operation ids are UUID v7, so the order of keys is the order of calls. A queued
 * call's row goes from `202 Accepted` through `202 Processing...` to what its terminal event says; what comes late from an
 * attempt changes a row that is complete no more.
 */
export const apiCalls: Projection = {
  ImportQueued: async function* (event) {
    const { operationId, method } = await eventData(event, 'ImportQueued');
    yield [put(event, operationId, { ...rowOf(event, method), ...status(202) })];
  },
  ImportStarted: attempted,
  ImportProgressed: attempted,
  ImportAttemptFailed: attempted,
  EmployeeSetReplaced: employeeSet,
  EmployeeSetConfirmed: employeeSet,
  ManagerRolesImported: async function* (event) {
    yield [managerRoles(event, await eventData(event, 'ManagerRolesImported'))];
  },
  ManagerRolesConfirmed: async function* (event) {
    yield [managerRoles(event, await eventData(event, 'ManagerRolesConfirmed'))];
  },
  ImportFailed: async function* (event) {
    const { operationId, kind, ...failure } = await eventData(event, 'ImportFailed');
    const Result = recordedReason(failure.reason);
    const ValidationErrors = recordedErrors(failure.validationErrors);
    const row = completed(event, kind, failure.status);
    yield [put(event, operationId, { ...row, Result, ValidationErrors }, ofTheCall)];
  },
  ImportCancelled: async function* (event) {
    const { operationId, kind } = await eventData(event, 'ImportCancelled');
    const { reason } = event.metadata;
    const Result = reason === undefined ? 'Cancelled' : recordedReason(`Cancelled: ${reason}`);
    yield [put(event, operationId, { ...completed(event, kind, 409), Result }, ofTheCall)];
  },
  ImportRefused: async function* (event) {
    const data = await eventData(event, 'ImportRefused');
    const { recordedAt: CompletedOn, operationId } = event.metadata;
    const row = { ...rowOf(event, data.method), ...status(data.status), CompletedOn };
    yield [put(event, operationId, { ...row, ValidationErrors: recordedErrors(data.validationErrors) })];
  },
};

/** Only while the call is under way: whatever comes behind its terminal event is left out. */
async function* attempted(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  const { operationId } = event.metadata;
  const Progress = (await attemptText(event)) ?? null;
  const row = { ...rowOf(event, ''), HttpStatusReason: 'Processing...', Progress };
  const ifStored = { member: 'CompletedOn' satisfies keyof ApiCall, in: [null] };
  yield [{ ...put(event, operationId, row, ofTheCall), ifStored }];
}

async function* employeeSet(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  // The counts stand in front of the lists: of tens of megabytes only the first chunk is read.
  const { inserted, updated, removed } = readSetSummary(await beginningOf(event));
  const counts = { Inserted: inserted, Updated: updated, Removed: removed };
  const row = { ...completed(event, 'employees', 200), ...counts };
  yield [put(event, event.metadata.operationId, row, ofTheCall)];
}

function managerRoles(event: LoadedEvent, counts: managers.ManagerImportCounts): DocumentWrite {
  const row = {
    ...completed(event, 'managers', 200),
    Inserted: counts.created,
    Removed: counts.disabled,
    Result: managers.resultText(counts),
  };
  return put(event, event.metadata.operationId, row, ofTheCall);
}

async function beginningOf(event: LoadedEvent): Promise<Uint8Array> {
  for await (const chunk of event.chunks()) return chunk;
  throw new LogCorrupt(`the event at revision ${event.revision} of ${event.stream} has no data`);
}

/** What the call itself said of itself stays as it was when it was queued, whoever ended it. */
const ofTheCall = ['UserId', 'Username', 'CreatedOn', 'Method'] as const satisfies (keyof ApiCall)[];

type Row = Omit<ApiCall, 'ApiOperationId'>;

/** The row of a call of which nothing is known but who made it. */
function rowOf(event: LoadedEvent, method: string): Row {
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

const completed = (event: LoadedEvent, kind: ImportKind, code: number): Row => ({
  ...rowOf(event, methodOf(kind, companyOf(event))),
  ...status(code),
  CompletedOn: event.metadata.recordedAt,
});

const methodOf = (kind: ImportKind, companyId: number): string =>
  kind === 'employees'
    ? `PUT /v1.0/Company/${companyId}/Employee`
    : `PUT /v1.0/User/${companyId}/ManagerImport`;

const status = (code: number): Pick<ApiCall, 'HttpStatusCode' | 'HttpStatusReason'> => ({
  HttpStatusCode: code,
  HttpStatusReason: STATUS_CODES[code] ?? '',
});

function put(
  event: LoadedEvent,
  operationId: string,
  row: Row,
  keep?: readonly (keyof ApiCall)[],
): Extract<DocumentWrite, { op: 'put' }> {
  const document: ApiCall = { ApiOperationId: operationId, ...row };
  const key = [companyOf(event), operationId] as const;
  const write = { op: 'put', collection: 'api-calls', key, json: toJson(document) } as const;
  return keep === undefined ? write : { ...write, keep };
}
