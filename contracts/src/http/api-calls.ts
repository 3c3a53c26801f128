import { Type, type Static, type TSchema } from 'typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
const Moment = Type.String({ format: 'date-time' });

/** A row of `GET /v1.0/Company/{companyId}/ApiCalls` (docs/contract, "ApiCalls"). */
export const ApiCall = Type.Object(
  {
    ApiOperationId: Type.String({ format: 'uuid' }),
    UserId: orNull(Type.Integer()),
    Username: Type.String(),
    CreatedOn: Moment,
    Method: Type.String(),
    HttpStatusCode: Type.Integer(),
    HttpStatusReason: Type.String(),
    CompletedOn: orNull(Moment),
    Inserted: Count,
    Updated: Count,
    Removed: Count,
    Result: orNull(Type.String()),
    ValidationErrors: Type.Array(Type.String()),
    Progress: orNull(Type.String()),
  },
  { title: 'ApiCall' },
);
export type ApiCall = Static<typeof ApiCall>;

export const ApiCalls = Type.Array(ApiCall, { title: 'ApiCalls' });

/** The most rows in one page. */
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
export type ApiCallsQuery = Static<typeof ApiCallsQuery>;
