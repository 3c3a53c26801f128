import { Type, type Static } from 'typebox';
import { Id, idRange } from './schemas.js';

export const MessageBody = Type.Object(
  { Message: Type.String({ description: 'What happened and what to do.' }) },
  { title: 'Message' },
);
export type MessageBody = Static<typeof MessageBody>;

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

/** Documented as an integer, passed to the route as text. */
export const PathId = (description: string) =>
  Type.Unsafe<string>({
    examples: [1],
    type: 'integer',
    ...idRange,
    description,
  });

export const CompanyPath = Type.Object({
  companyId: PathId("The token's company; any other is a 401."),
});

export const PositiveId = Id;

/** Its example is the default in `/docs`, so that a click there replaces nobody. */
export const DryRunFlag = Type.Boolean({
  description: 'true: only checks and counts, nothing is written.',
  examples: [true],
});

export const NoQuery = Type.Object({});

/** The text of every 401; the reason goes to the log only. */
export const unauthorizedMessage = 'Authorization has been denied for this request.';
