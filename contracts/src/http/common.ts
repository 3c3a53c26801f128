import { Type, type Static } from 'typebox';
import { Id } from './schemas.js';

/** The body of 401, 404, 405, 413, 415, 429 and 503 (docs/contract, "Everywhere"). */
export const MessageBody = Type.Object(
  { Message: Type.String({ description: 'What happened and what to do.' }) },
  { title: 'Message' },
);
export type MessageBody = Static<typeof MessageBody>;

/** The body of a 400 where the endpoint has none of its own. */
export const InvalidRequestBody = Type.Object(
  {
    Message: Type.String(),
    ValidationErrors: Type.Array(Type.String(), {
      description: 'All problems, each with its place and rule.',
    }),
  },
  { title: 'InvalidRequest', description: 'The request was refused, and nothing was changed.' },
);
export type InvalidRequestBody = Static<typeof InvalidRequestBody>;

/** The body of a 500: the details stand in the log under the id. */
export const ServerErrorBody = Type.Object(
  {
    Message: Type.String(),
    ApiOperationId: Type.String({
      format: 'uuid',
      description: 'Names the lines in the log that tell more.',
    }),
  },
  { title: 'ServerError' },
);
export type ServerErrorBody = Static<typeof ServerErrorBody>;

/** An id in a path: documented as an integer, handed to the route as it was sent. */
export const PathId = (description: string) =>
  Type.Unsafe<string>({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
  });

export const CompanyPath = Type.Object({
  companyId: PathId("The token's company; any other is a 401."),
});
export type CompanyPath = Static<typeof CompanyPath>;

/** A company or survey id in a query or body. */
export const PositiveId = Id;

/** Of both imports. Its example is what `/docs` offers first, so that a click there replaces nobody. */
export const DryRunFlag = Type.Boolean({
  description: 'true: only checks and counts, nothing is written.',
  examples: [true],
});

/** A query without parameters. */
export const NoQuery = Type.Object({});

/** The text of every 401; the reason goes to the log only. */
export const unauthorizedMessage = 'Authorization has been denied for this request.';
