import { Type, type Static } from 'typebox';
import { Count, Hex128 } from './shapes.js';

const Number = Type.Integer({ minimum: 1 });

/** Personal: stored under `values` and nowhere else. */
const PortalUserValues = Type.Object({
  Email: Type.String(),
  FirstName: Type.String(),
  LastName: Type.String(),
});

export const PortalUserEntry = Type.Object({
  number: Number,
  /** Keyed digest of the folded e-mail address. */
  idDigest: Hex128,
  digest: Hex128,
  values: PortalUserValues,
});
export type PortalUserEntry = Static<typeof PortalUserEntry>;

/** Names changed. The e-mail address stays as first written; no state knows it. */
export const PortalUserRenamed = Type.Object({
  number: Number,
  digest: Hex128,
  values: Type.Object({ FirstName: Type.String(), LastName: Type.String() }),
});
export type PortalUserRenamed = Static<typeof PortalUserRenamed>;

export const DepartmentType = Type.Union([
  Type.Literal('department'),
  Type.Literal('division'),
  Type.Literal('project'),
]);
export type DepartmentType = Static<typeof DepartmentType>;

/** A department, division or project: unique by dimension and name (case-insensitive), kept as first written. */
export const DepartmentEntry = Type.Object({
  number: Number,
  type: DepartmentType,
  dimension: Type.String(),
  name: Type.String(),
});
export type DepartmentEntry = Static<typeof DepartmentEntry>;

export const ManagerRoleEntry = Type.Object({
  department: Number,
  user: Number,
  primaryContact: Type.Boolean(),
});
export type ManagerRoleEntry = Static<typeof ManagerRoleEntry>;

export const ManagerRolesSummary = Type.Object({
  operationId: Type.String({ format: 'uuid' }),
  bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  digestVersion: Type.Integer({ minimum: 1 }),
  /** Enabled now, absent or disabled before. */
  created: Count,
  disabled: Count,
  locked: Count,
  total: Count,
  /** The highest numbers ever given; 0 before the first. */
  lastUser: Count,
  lastDepartment: Count,
});
export type ManagerRolesSummary = Static<typeof ManagerRolesSummary>;

export const ManagerRolesImported = Type.Interface([ManagerRolesSummary], {
  usersCreated: Type.Array(PortalUserEntry),
  /** For duplicates the last entry counts. */
  usersRenamed: Type.Array(PortalUserRenamed),
  usersLocked: Type.Array(Number),
  usersUnlocked: Type.Array(Number),
  departmentsCreated: Type.Array(DepartmentEntry),
  rolesEnabled: Type.Array(ManagerRoleEntry),
  /** Enabled before and after, with another `primaryContact`. */
  rolesChanged: Type.Array(ManagerRoleEntry),
  rolesDisabled: Type.Array(Type.Object({ department: Number, user: Number })),
  /** All divisions that have a parent after the import. */
  hierarchy: Type.Array(Type.Object({ department: Number, parent: Number })),
  parentsRemoved: Type.Array(Number),
});
export type ManagerRolesImported = Static<typeof ManagerRolesImported>;

export const ManagerRolesConfirmed = ManagerRolesSummary;
