import { Type, type Static, type TSchema } from 'typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));
const Text50 = Type.String({ maxLength: 50 });
const Count = Type.Integer({ minimum: 0 });
const OperationId = Type.String({ format: 'uuid' });

/** An element of the employee synchronisation (interface.md, "Employee"). It documents; `domain/employees` checks. */
export const EmployeeBody = Type.Object(
  {
    EmployeeID: Type.String({
      minLength: 1,
      maxLength: 50,
      description: "The caller's own primary key; unique.",
    }),
    InvitationDate: optional(
      Type.String({ format: 'date-time', description: 'yyyy-MM-ddTHH:mm:ssZ; used only for new employees.' }),
    ),
    Firstname: Type.String({ minLength: 1, maxLength: 150 }),
    Lastname: Type.String({ minLength: 1, maxLength: 150 }),
    Phonenumber: optional(Type.String({ pattern: '^\\+[0-9]{6,20}$', description: 'Unique.' })),
    Email: Type.String({ maxLength: 254, description: 'Unique without regard to case.' }),
    Gender: optional(
      Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(9)], {
        description: '0 = Male, 1 = Female, 9 = Unknown',
      }),
    ),
    EmploymentStatus: Type.Union([Type.Literal(0), Type.Literal(1)], {
      description: '0 = Active, 1 = On leave',
    }),
    Birthday: optional(Type.String({ description: 'yyyy-MM-dd, or the date format of InvitationDate.' })),
    JobTitle: optional(Text50),
    Department: optional(Text50),
    Role: optional(Text50),
    ImmediateManager: optional(Text50),
    Dimensions: optional(Type.Record(Type.String(), orNull(Text50))),
  },
  { title: 'Employee' },
);
export type EmployeeBody = Static<typeof EmployeeBody>;

export const EmployeesBody = Type.Array(EmployeeBody, { title: 'Employees' });

/** The answer of an import (interface.md, "ImportResult"). */
export const ImportResult = Type.Object(
  {
    ApiOperationId: OperationId,
    Inserted: Count,
    Updated: Count,
    Removed: Count,
    WasQueued: Type.Boolean(),
  },
  { title: 'ImportResult' },
);
export type ImportResult = Static<typeof ImportResult>;

const EmployeeIds = Type.Array(Type.String(), { description: 'EmployeeIDs, at most 1,000.' });

/** The answer of `?dryRun=true`: what the call would do, and nothing done. */
export const DryRunResult = Type.Object(
  {
    DryRun: Type.Literal(true),
    Inserted: Count,
    Updated: Count,
    Removed: Count,
    WasQueued: Type.Literal(false),
    Changes: Type.Object({ Inserted: EmployeeIds, Updated: EmployeeIds, Removed: EmployeeIds }),
    BatchLimit: Type.Object({
      Limit: orNull(Type.Number({ description: 'Percent; null where the company has none.' })),
      Present: Count,
      Exceeded: Type.Boolean({ description: 'The real call would be refused.' }),
    }),
    IgnoredFields: Type.Record(Type.String(), Count, {
      description: 'Names that are no fields, each with the number of elements that carry it.',
    }),
    PendingImports: Count,
    Invitations: Type.Object({
      Count: Type.Integer({ minimum: 0, description: 'How many of the new employees would be invited.' }),
      FirstDueAt: orNull(Type.String({ format: 'date-time', description: 'Null where none would be.' })),
      LastDueAt: orNull(Type.String({ format: 'date-time' })),
    }),
  },
  { title: 'DryRunResult' },
);
export type DryRunResult = Static<typeof DryRunResult>;

/** The 400 of the employee synchronisation. */
export const ImportErrors = Type.Object(
  { ApiOperationId: OperationId, ValidationErrors: Type.Array(Type.String()) },
  { title: 'ImportErrors' },
);
export type ImportErrors = Static<typeof ImportErrors>;

export const EmployeesPutQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Only checks and counts; nothing is written.' })),
});
export type EmployeesPutQuery = Static<typeof EmployeesPutQuery>;

/** An element of `GET /v1.0/Company/{companyId}/Employee`: the fields as sent, absent where none was, and more. */
export const EmployeeRow = Type.Object(
  {
    Id: Type.Integer({ minimum: 1 }),
    EmployeeID: Type.String(),
    ExternalId: Type.String({ description: 'Equals EmployeeID.' }),
    CompanyId: Type.Integer({ minimum: 1 }),
    Firstname: Type.String(),
    Lastname: Type.String(),
    Fullname: Type.String(),
    Email: Type.String(),
    Phonenumber: optional(Type.String()),
    ContactNumber: optional(Type.String({ description: 'Equals Phonenumber.' })),
    Gender: optional(Type.Integer()),
    EmploymentStatus: Type.Integer(),
    Birthday: optional(Type.String()),
    JobTitle: optional(Type.String()),
    Department: optional(Type.String()),
    Role: optional(Type.String()),
    ImmediateManager: optional(Type.String()),
    Dimensions: Type.Record(Type.String(), Type.String()),
    InvitationDate: optional(Type.String({ format: 'date-time', description: 'As sent when new.' })),
    SourcedFromExternalSystem: Type.Boolean(),
    Locked: Type.Boolean(),
    FirstInvitationDate: optional(
      Type.String({ format: 'date-time', description: 'When a mail server accepted the first invitation.' }),
    ),
  },
  { title: 'EmployeeRow' },
);
export type EmployeeRow = Static<typeof EmployeeRow>;

export const EmployeeRows = Type.Array(EmployeeRow, { title: 'EmployeeRows' });

/** The most employees in one page. Without `Top` all are streamed. */
export const maxEmployeesPage = 10_000;

export const EmployeesQuery = Type.Object({
  Top: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maxEmployeesPage, description: 'The most employees in the page.' }),
  ),
  After: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'Only employees behind this EmployeeID.' }),
  ),
});
export type EmployeesQuery = Static<typeof EmployeesQuery>;
