import { Type, type Static } from 'typebox';

const Hex128 = Type.String({ pattern: '^[0-9a-f]{32}$' });
const Count = Type.Integer({ minimum: 0 });
const Number = Type.Integer({ minimum: 1 });

/** What is personal of a portal user; stands under `values` and nowhere else. */
export const PortalUserValues = Type.Object({
  /** As first written. */
  Email: Type.String(),
  FirstName: Type.String(),
  LastName: Type.String(),
});
export type PortalUserValues = Static<typeof PortalUserValues>;

/** A portal user who is new. */
export const PortalUserEntry = Type.Object({
  number: Number,
  /** Keyed digest of the folded e-mail address. */
  idDigest: Hex128,
  /** Keyed digest of the names. */
  digest: Hex128,
  values: PortalUserValues,
});
export type PortalUserEntry = Static<typeof PortalUserEntry>;

/** A portal user whose names changed. The e-mail address stays as it was first written, which no state knows. */
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

/** A department, division or project: one for a dimension and name (case-insensitive), kept as first written. */
export const DepartmentEntry = Type.Object({
  number: Number,
  type: DepartmentType,
  dimension: Type.String(),
  name: Type.String(),
});
export type DepartmentEntry = Static<typeof DepartmentEntry>;

/** A role: a portal user who leads a department. */
export const ManagerRoleEntry = Type.Object({
  department: Number,
  user: Number,
  primaryContact: Type.Boolean(),
});
export type ManagerRoleEntry = Static<typeof ManagerRoleEntry>;

/** What both terminal events of a manager import say about the whole. */
export const ManagerRolesSummary = Type.Object({
  operationId: Type.String({ format: 'uuid' }),
  bodySha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  digestVersion: Type.Integer({ minimum: 1 }),
  /** Roles that were absent or disabled and are enabled now. */
  created: Count,
  /** Roles that were enabled and are not now. */
  disabled: Count,
  /** Users locked by this import. */
  locked: Count,
  /** Enabled roles after it. */
  total: Count,
  /** The highest numbers ever given; 0 before the first. */
  lastUser: Count,
  lastDepartment: Count,
});
export type ManagerRolesSummary = Static<typeof ManagerRolesSummary>;

export const ManagerRolesImported = Type.Interface([ManagerRolesSummary], {
  usersCreated: Type.Array(PortalUserEntry),
  /** Names that changed: the last entry's stand. */
  usersRenamed: Type.Array(PortalUserRenamed),
  usersLocked: Type.Array(Number),
  usersUnlocked: Type.Array(Number),
  departmentsCreated: Type.Array(DepartmentEntry),
  /** Created, or enabled again. */
  rolesEnabled: Type.Array(ManagerRoleEntry),
  /** Enabled before and after, with another `primaryContact`. */
  rolesChanged: Type.Array(ManagerRoleEntry),
  rolesDisabled: Type.Array(Type.Object({ department: Number, user: Number })),
  /** The whole hierarchy after it: each division that has a parent. */
  hierarchy: Type.Array(Type.Object({ department: Number, parent: Number })),
  /** Divisions that had a parent before and have none now. */
  parentsRemoved: Type.Array(Number),
});
export type ManagerRolesImported = Static<typeof ManagerRolesImported>;

/** The import changed nothing: the same members without the lists, all three counts 0. */
export const ManagerRolesConfirmed = ManagerRolesSummary;
export type ManagerRolesConfirmed = Static<typeof ManagerRolesConfirmed>;
