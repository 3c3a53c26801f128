import { Type, type Static } from 'typebox';
import { DryRunFlag } from './common.js';
import { limits } from '../values/limits.js';
import { DetailsFlag, previewMembers } from './previews.js';
import { Count, Email, Id, mapOf, optional, orNull } from './schemas.js';

const Name = Type.String({ minLength: 1, maxLength: limits.managers.name, description: 'Not blank.' });
const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored, whatever it is.' }));

/** interface.md, "ManagerRole". Documentation; `domain/managers` checks. */
export const ManagerRoleBody = Type.Object(
  {
    DimensionName: Type.String({
      minLength: 1,
      description: "One of the company's department, division or project dimensions.",
    }),
    DepartmentName: Name,
    FirstName: Name,
    LastName: Name,
    Email: Email('Finds or creates the portal user, without regard to case.'),
    PrimaryContact: optional(
      Type.Boolean({ description: 'Marks the manager as the primary contact of the department.' }),
    ),
    DepartmentId: Ignored,
    Guid: Ignored,
    UserId: Ignored,
    RoleType: Ignored,
  },
  { title: 'ManagerRole', description: 'One manager of one department, division or project.' },
);

/** interface.md, "ManagerImport". */
export const ManagerImportBody = Type.Object(
  {
    ManagerRoles: Type.Array(ManagerRoleBody, {
      description: 'All manager roles of the company. An empty array disables all.',
    }),
    DepartmentHierarchy: optional(
      mapOf(orNull(Type.String({ maxLength: limits.managers.name })), {
        propertyNames: { minLength: 1, maxLength: limits.managers.name },
        maxProperties: limits.managers.divisions,
        description: 'From a division to its parent, or null; only where hierarchy import is enabled.',
      }),
    ),
  },
  { title: 'ManagerImport', description: 'The whole set of manager roles.' },
);
export type ManagerImportBody = Static<typeof ManagerImportBody>;

const Emails = Type.Array(Type.String(), { description: 'E-mail addresses, at most 1,000.' });

export const ManagerDryRunResult = Type.Object(
  {
    DryRun: Type.Boolean({ description: 'Always true.' }),
    Created: Count,
    Disabled: Count,
    Locked: Count,
    Unlocked: Count,
    WasQueued: Type.Boolean({ description: 'Always false.' }),
    Changes: Type.Object({ Locked: Emails, Unlocked: Emails }, { title: 'ManagerChanges' }),
    IgnoredFields: mapOf(Count, { description: 'Names that are no fields, each with how often it stands.' }),
    PendingImports: Type.Integer({ minimum: 0, description: 'Imports that would run before this one.' }),
    ...previewMembers,
  },
  { title: 'ManagerDryRunResult', description: 'What the call would do. Nothing was done.' },
);
export type ManagerDryRunResult = Static<typeof ManagerDryRunResult>;

export const ManagersPutQuery = Type.Object({
  dryRun: Type.Optional(DryRunFlag),
  Details: Type.Optional(DetailsFlag),
});

const PortalUser = Type.Object(
  {
    Id,
    FirstName: Type.String(),
    LastName: Type.String(),
    Email: Type.String({ description: 'As first written.' }),
    Locked: Type.Boolean({ description: 'The user has no enabled role.' }),
  },
  { title: 'PortalUser' },
);

const StoredRole = Type.Object(
  {
    UserId: Id,
    DimensionName: Type.String({ description: 'As configured when the department was created.' }),
    DepartmentName: Type.String({ description: 'As first written.' }),
    PrimaryContact: Type.Boolean(),
    Enabled: Type.Boolean({ description: 'False: it was in a former import, and is not in the last.' }),
  },
  { title: 'StoredManagerRole' },
);

const Department = Type.Object(
  {
    Id,
    DimensionName: Type.String(),
    Name: Type.String(),
    Parent: orNull(Type.String({ description: 'The name of the parent division.' })),
  },
  { title: 'Department', description: 'A department, division or project.' },
);

/** docs/contract, "Managers". */
export const Managers = Type.Object(
  { Users: Type.Array(PortalUser), Roles: Type.Array(StoredRole), Departments: Type.Array(Department) },
  { title: 'Managers', description: 'The whole set, with what is locked and disabled.' },
);
export type Managers = Static<typeof Managers>;
