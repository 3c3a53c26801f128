import type { ImportKind } from '../events/import-events.js';
import { Type, type Static } from 'typebox';
import { Count, Moment, orNull } from './schemas.js';

/** docs/contract, "ApiCalls". */
/** The call of an import, as `Method` names it. */
export const importMethod = (kind: ImportKind, companyId: number): string =>
  kind === 'employees'
    ? `PUT /v1.0/Company/${companyId}/Employee`
    : `PUT /v1.0/User/${companyId}/ManagerImport`;

/** The call of an undo: a person takes an operation back, on the page too. */
export const undoMethod = (operationId: string): string => `rollcall imports undo --operation ${operationId}`;

export const ApiCall = Type.Object(
  {
    ApiOperationId: Type.String({ format: 'uuid' }),
    UserId: orNull(
      Type.Integer({
        format: 'int64',
        description: 'The API user; null for the command line and operators.',
      }),
    ),
    Username: Type.String(),
    CreatedOn: Moment,
    Method: Type.String({ description: '`PUT /v1.0/Company/7/Employee`, or `rollcall imports undo ...`.' }),
    HttpStatusCode: Type.Integer({ description: '202 while it is queued or runs, then what it ended with.' }),
    HttpStatusReason: Type.String({
      description: 'The phrase of HttpStatusCode, `Processing...`, `Held: ...` or `Waiting behind ...`.',
    }),
    CompletedOn: orNull(Type.String({ format: 'date-time', description: 'Null until it has ended.' })),
    Inserted: Type.Integer({ minimum: 0, description: 'Of managers: roles created.' }),
    Updated: Count,
    Removed: Type.Integer({ minimum: 0, description: 'Of managers: roles disabled.' }),
    Result: orNull(Type.String({ description: 'Why it was not done. Of managers: the text of a 200.' })),
    ValidationErrors: Type.Array(Type.String(), {
      description: 'The first 20, cut to 200 characters each, and the number of the rest.',
    }),
    Progress: orNull(Type.String({ description: 'How far a running import is.' })),
  },
  { title: 'ApiCall', description: 'An import, and what became of it.' },
);
export type ApiCall = Static<typeof ApiCall>;

export const ApiCalls = Type.Array(ApiCall);

export const maxApiCallsPage = 100;

export const ApiCallsQuery = Type.Object({
  ApiOperationId: Type.Optional(Type.String({ format: 'uuid', description: 'Only the call with this id.' })),
  Top: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxApiCallsPage, description: 'The most rows in the page.' }),
  ),
  Before: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only calls older than the one with this ApiOperationId.' }),
  ),
});
