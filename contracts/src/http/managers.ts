import { Type, type Static, type TSchema } from 'typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(orNull(schema));
const Count = Type.Integer({ minimum: 0 });

/** An element of `ManagerRoles` (interface.md, "ManagerRole"). It documents; `domain/managers` checks. */
export const ManagerRoleBody = Type.Object(
  {
    DimensionName: Type.String({
      minLength: 1,
      description: "One of the company's department, division or project dimensions.",
    }),
    DepartmentName: Type.String({ minLength: 1, maxLength: 150 }),
    FirstName: Type.String({ minLength: 1, maxLength: 150 }),
    LastName: Type.String({ minLength: 1, maxLength: 150 }),
    Email: Type.String({ maxLength: 254, description: 'Finds or creates the portal user.' }),
    PrimaryContact: optional(Type.Boolean()),
    DepartmentId: optional(Type.Unknown({ description: 'Ignored.' })),
    Guid: optional(Type.Unknown({ description: 'Ignored.' })),
    UserId: optional(Type.Unknown({ description: 'Ignored.' })),
    RoleType: optional(Type.Unknown({ description: 'Ignored: roles are department manager roles.' })),
  },
  { title: 'ManagerRole' },
);
export type ManagerRoleBody = Static<typeof ManagerRoleBody>;

/** interface.md, "ManagerImport request". */
export const ManagerImportBody = Type.Object(
  {
    ManagerRoles: Type.Array(ManagerRoleBody),
    DepartmentHierarchy: optional(
      Type.Record(Type.String(), orNull(Type.String()), {
        description: 'Division to its parent division; only where hierarchy import is enabled.',
      }),
    ),
  },
  { title: 'ManagerImport' },
);
export type ManagerImportBody = Static<typeof ManagerImportBody>;

const Emails = Type.Array(Type.String(), { description: 'E-mail addresses, at most 1,000.' });

/** The answer of a manager import with `?dryRun=true`. */
export const ManagerDryRunResult = Type.Object(
  {
    DryRun: Type.Literal(true),
    Created: Count,
    Disabled: Count,
    Locked: Count,
    Unlocked: Count,
    WasQueued: Type.Literal(false),
    Changes: Type.Object({ Locked: Emails, Unlocked: Emails }),
    IgnoredFields: Type.Record(Type.String(), Count),
    PendingImports: Count,
  },
  { title: 'ManagerDryRunResult' },
);
export type ManagerDryRunResult = Static<typeof ManagerDryRunResult>;

export const ManagersPutQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ description: 'Only checks and counts; nothing is written.' })),
});
export type ManagersPutQuery = Static<typeof ManagersPutQuery>;

const Id = Type.Integer({ minimum: 1 });

/** `GET /v1.0/Company/{companyId}/Managers` (docs/contract, "Managers"). */
export const Managers = Type.Object(
  {
    Users: Type.Array(
      Type.Object({
        Id,
        FirstName: Type.String(),
        LastName: Type.String(),
        Email: Type.String({ description: 'As first written.' }),
        Locked: Type.Boolean({ description: 'The user has no enabled role.' }),
      }),
    ),
    Roles: Type.Array(
      Type.Object({
        UserId: Id,
        DimensionName: Type.String({ description: 'As configured when the department was created.' }),
        DepartmentName: Type.String({ description: 'As first written.' }),
        PrimaryContact: Type.Boolean(),
        Enabled: Type.Boolean({ description: 'False: it was in a former import, and is not in the last.' }),
      }),
    ),
    Departments: Type.Array(
      Type.Object({
        Id,
        DimensionName: Type.String(),
        Name: Type.String(),
        Parent: orNull(Type.String({ description: 'The name of the parent division.' })),
      }),
    ),
  },
  { title: 'Managers' },
);
export type Managers = Static<typeof Managers>;
