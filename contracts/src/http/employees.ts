import { Type, type Static, type TSchema } from 'typebox';
import { DryRunFlag } from './common.js';
import {
  employeeField,
  employeeFields,
  type EmployeeFieldKind,
  type EmployeeFieldName,
  type EmployeeOf,
  isEmployeeField,
} from '../values/employee-fields.js';
import { limits, patterns } from '../values/limits.js';
import { DetailsFlag, previewMembers } from './previews.js';
import { Count, Email, Id, mapOf, optional, oneOfCodes, orNull, sentMoment, describedId } from './schemas.js';

const OperationId = Type.String({
  format: 'uuid',
  description: 'Write it into your log: it names the call in ApiCalls and to support.',
});

const descriptions: Readonly<Record<EmployeeFieldName, string>> = {
  EmployeeID: "The caller's own primary key; unique, not blank.",
  InvitationDate:
    'When a new employee is invited; for one who is present it counts for nothing. Without it: at once in business hours, else at the next 08:00.',
  Firstname: 'Not blank.',
  Lastname: 'Not blank.',
  Phonenumber: 'In international format; unique.',
  Email: 'Unique without regard to case.',
  Gender: '0 = male, 1 = female, 9 = unknown',
  EmploymentStatus: '0 = active, 1 = on leave',
  Birthday: 'yyyy-MM-dd, or the date format of InvitationDate; kept as sent.',
  JobTitle: '',
  Department: 'Reporting data.',
  Role: 'Reporting data.',
  ImmediateManager: 'Reporting data.',
  Dimensions: `Other reporting data by name (1 to ${limits.employee.dimensionName} characters, not blank), at most ${limits.employee.dimensions}; null is absent. What GET employees adds may come back.`,
};

const sentAs: Readonly<Record<EmployeeFieldKind, (name: EmployeeFieldName, description: string) => TSchema>> =
  {
    text: (name, description) => {
      const { required, maxLength = 0 } = employeeField(name);
      return Type.String({
        ...(required && { minLength: 1 }),
        maxLength,
        ...(description && { description }),
      });
    },
    email: (_, description) => Email(description),
    phone: (_, description) => Type.String({ pattern: patterns.phone, description }),
    code: (name, description) => oneOfCodes(name, employeeField(name).codes ?? {}, description),
    birthday: (_, description) => Type.String({ pattern: patterns.birthday, description }),
    date: (_, description) => sentMoment(description),
    dimensions: (_, description) =>
      mapOf(orNull(Type.String({ maxLength: limits.employee.dimensionValue })), { description }),
  };

const sent = (name: EmployeeFieldName): TSchema => sentAs[employeeField(name).kind](name, descriptions[name]);

/** interface.md, "Employee". Documentation; `domain/employees` checks. */
export const EmployeeBody = Type.Unsafe<EmployeeBody>(
  Type.Object(
    Object.fromEntries(
      Object.keys(descriptions)
        .filter(isEmployeeField)
        .map((name) => [name, employeeField(name).required ? sent(name) : optional(sent(name))]),
    ),
    {
      title: 'Employee',
      description: 'One employee. A field that is left out or null is cleared; unknown fields are ignored.',
    },
  ),
);
export type EmployeeBody = EmployeeOf<Record<string, string | null>, null>;

const Gender = Type.Unsafe<number>(sent('Gender'));
const EmploymentStatus = Type.Unsafe<number>(sent('EmploymentStatus'));

export const EmployeesBody = Type.Array(EmployeeBody, {
  description: 'All employees of the company. An empty array removes everybody.',
});

const IgnoredFields = mapOf(Count, {
  description:
    'Names of the body that are no fields, each with how often it stands; null in the place of none.',
});

export const ImportResult = Type.Object(
  {
    ApiOperationId: OperationId,
    Inserted: Count,
    Updated: Type.Integer({ minimum: 0, description: 'Those present whose values are others than before.' }),
    Removed: Count,
    WasQueued: Type.Boolean({ description: 'True with 202: the counts are 0 then, and ApiCalls has them.' }),
    IgnoredFields: orNull(IgnoredFields),
  },
  { title: 'ImportResult', description: 'What an import did, or that it was queued.' },
);
export type ImportResult = Static<typeof ImportResult>;

const EmployeeIds = Type.Array(Type.String(), { description: 'EmployeeIDs, at most 1,000.' });

export const DryRunResult = Type.Object(
  {
    DryRun: Type.Boolean({ description: 'Always true.' }),
    Inserted: Count,
    Updated: Count,
    Removed: Count,
    WasQueued: Type.Boolean({ description: 'Always false.' }),
    Changes: Type.Object(
      { Inserted: EmployeeIds, Updated: EmployeeIds, Removed: EmployeeIds },
      { title: 'EmployeeChanges' },
    ),
    BatchLimit: Type.Object(
      {
        Limit: orNull(Type.Number({ description: 'Percent; null where the company has none.' })),
        Present: Count,
        Exceeded: Type.Boolean({ description: 'The real call would be refused, or held.' }),
        OverLimit: Type.Enum(['refuse', 'hold'], {
          type: 'string',
          description: 'What would become of it: refused, or held until somebody approves it.',
        }),
      },
      { title: 'BatchLimit' },
    ),
    IgnoredFields: mapOf(Count, {
      description: 'Names that are no fields, each with the number of elements that carry it.',
    }),
    PendingImports: Type.Integer({ minimum: 0, description: 'Imports that would run before this one.' }),
    Invitations: Type.Object(
      {
        Count: Type.Integer({ minimum: 0, description: 'How many of the new employees would be invited.' }),
        FirstDueAt: orNull(Type.String({ format: 'date-time', description: 'Null where none would be.' })),
        LastDueAt: orNull(Type.String({ format: 'date-time', description: 'Null where none would be.' })),
      },
      { title: 'PlannedInvitations' },
    ),
    ...previewMembers,
  },
  { title: 'DryRunResult', description: 'What the call would do. Nothing was done.' },
);
export type DryRunResult = Static<typeof DryRunResult>;

export const ImportErrors = Type.Object(
  {
    ApiOperationId: OperationId,
    ValidationErrors: Type.Array(Type.String(), {
      description: 'Every problem, with the position from 0; at most 1,000, and then how many more.',
    }),
  },
  { title: 'ImportErrors', description: 'The import was refused, and nothing was changed.' },
);
export type ImportErrors = Static<typeof ImportErrors>;

export const EmployeesPutQuery = Type.Object({
  dryRun: Type.Optional(DryRunFlag),
  Details: Type.Optional(DetailsFlag),
  Renames: Type.Optional(
    Type.Enum(['keep'], {
      type: 'string',
      description:
        'keep: a new EmployeeID with the e-mail address of exactly one who leaves is the same person, with number and invitation.',
    }),
  ),
});

export const EmployeeRow = Type.Object(
  {
    Id,
    EmployeeID: Type.String(),
    ExternalId: Type.String({ description: 'Equals EmployeeID.' }),
    CompanyId: Id,
    Firstname: Type.String(),
    Lastname: Type.String(),
    Fullname: Type.String(),
    Email: Type.String(),
    Phonenumber: optional(Type.String()),
    ContactNumber: optional(Type.String({ description: 'Equals Phonenumber.' })),
    Gender: optional(Gender),
    EmploymentStatus,
    Birthday: optional(Type.String({ description: 'As sent.' })),
    JobTitle: optional(Type.String()),
    Department: optional(Type.String()),
    Role: optional(Type.String()),
    ImmediateManager: optional(Type.String()),
    Dimensions: mapOf(Type.String(), {
      description: 'As sent, with Department, Role and ImmediateManager besides.',
    }),
    InvitationDate: optional(Type.String({ description: 'As sent when new.' })),
    SourcedFromExternalSystem: Type.Boolean({ description: 'Always true.' }),
    Locked: Type.Boolean({ description: 'Always false.' }),
    FirstInvitationDate: optional(
      Type.String({ format: 'date-time', description: 'When a mail server accepted the first invitation.' }),
    ),
  },
  {
    title: 'EmployeeRow',
    description: 'An employee as stored: it may be sent back as it is, and changes nothing then.',
  },
);
export type EmployeeRow = Static<typeof EmployeeRow>;

export const EmployeeRows = Type.Array(EmployeeRow);

/** Without `Top` all are streamed. */
const maxEmployeesPage = 10_000;

export const EmployeesQuery = Type.Object({
  Top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxEmployeesPage,
      description: 'The most employees in the page. Without it all are answered at once.',
    }),
  ),
  After: Type.Optional(describedId('Only employees behind this Id: the last one of the page before.', 0)),
  EmployeeID: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: employeeFields.EmployeeID.maxLength,
      description:
        'Only the employee who has this EmployeeID: one element or none. Not together with Top and After.',
    }),
  ),
  Revision: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The set to read, by the revision in its ETag; `Link` names it, so that all pages are of one set. A replaced set can be read for ten minutes at most.',
    }),
  ),
});
export type EmployeesQuery = Static<typeof EmployeesQuery>;
