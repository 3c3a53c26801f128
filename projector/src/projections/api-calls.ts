import { STATUS_CODES } from 'node:http';
import { eventData, LogCorrupt, type DocumentWrite, type LoadedEvent } from '@rollcall/adapters';
import type { ApiCall } from '@rollcall/contracts';
import { readSetSummary } from '@rollcall/domain';
import { companyOf, toJson, type Projection } from '../projection.js';

type Outcome = Pick<
  ApiCall,
  'Method' | 'HttpStatusCode' | 'Inserted' | 'Updated' | 'Removed' | 'ValidationErrors'
>;

/** `api-calls` [companyId, operationId]: operation ids are UUID v7, so the order of keys is the order of calls. */
export const apiCalls: Projection = {
  EmployeeSetReplaced: employeeSet,
  EmployeeSetConfirmed: employeeSet,
  ImportRefused: async function* (event) {
    const { method, status, validationErrors } = await eventData(event, 'ImportRefused');
    const counts = { Inserted: 0, Updated: 0, Removed: 0 };
    yield [
      row(event, { Method: method, HttpStatusCode: status, ...counts, ValidationErrors: validationErrors }),
    ];
  },
};

async function* employeeSet(event: LoadedEvent): AsyncGenerator<readonly DocumentWrite[]> {
  // The counts stand in front of the lists: of tens of megabytes only the first piece is read.
  const summary = readSetSummary(await beginningOf(event));
  yield [
    row(event, {
      Method: `PUT /v1.0/Company/${companyOf(event)}/Employee`,
      HttpStatusCode: 200,
      Inserted: summary.inserted,
      Updated: summary.updated,
      Removed: summary.removed,
      ValidationErrors: [],
    }),
  ];
}

async function beginningOf(event: LoadedEvent): Promise<Uint8Array> {
  for await (const chunk of event.chunks()) return chunk;
  throw new LogCorrupt(`the event at revision ${event.revision} of ${event.stream} has no data`);
}

function row(event: LoadedEvent, outcome: Outcome): DocumentWrite {
  const { operationId, userId, username, receivedAt, recordedAt } = event.metadata;
  const document: ApiCall = {
    ApiOperationId: operationId,
    UserId: userId,
    Username: username,
    CreatedOn: receivedAt,
    Method: outcome.Method,
    HttpStatusCode: outcome.HttpStatusCode,
    HttpStatusReason: STATUS_CODES[outcome.HttpStatusCode] ?? '',
    CompletedOn: recordedAt,
    Inserted: outcome.Inserted,
    Updated: outcome.Updated,
    Removed: outcome.Removed,
    Result: null,
    ValidationErrors: outcome.ValidationErrors,
    Progress: null,
  };
  return { op: 'put', collection: 'api-calls', key: [companyOf(event), operationId], json: toJson(document) };
}
