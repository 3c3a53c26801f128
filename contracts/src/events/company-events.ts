import { Type, type Static, type TSchema } from 'typebox';
import {
  employeeField,
  employeeFieldNames,
  type EmployeeFieldKind,
  type EmployeeFieldName,
  type EmployeeOf,
} from '../values/employee-fields.js';
import { Language } from '../values/language.js';
import { Count, Hex128 } from './shapes.js';

const Hex256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const EmployeeNumber = Type.Integer({ minimum: 1 });

export const CompanySettings = Type.Object({
  name: Type.String({ minLength: 1 }),
  timeZone: Type.String({ minLength: 1 }),
  /** ISO weekdays, 1 = Monday .. 7 = Sunday, ascending. */
  businessDays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 })),
  /** Local times `HH:mm`; `to` is exclusive. */
  businessHours: Type.Object({ from: Type.String(), to: Type.String() }),
  holidays: Type.Array(Type.String()),
  integrationEnabled: Type.Boolean(),
  hierarchyEnabled: Type.Boolean(),
  departmentDimensions: Type.Array(Type.String()),
  divisionDimensions: Type.Array(Type.String()),
  projectDimensions: Type.Array(Type.String()),
  languages: Type.Array(Language),
  /** Percent, or null for no limit. */
  batchLimit: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  /** Elements from which an import is queued, or null for never. */
  queueThreshold: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  autoInvite: Type.Boolean(),
  /** Employees present from which the batch limit counts. */
  batchLimitFrom: Count,
  /** What becomes of an import over the batch limit. */
  overLimit: Type.Union([Type.Literal('refuse'), Type.Literal('hold')]),
  /** The limit that holds from this moment (ISO 8601 UTC) on; null where `batchLimit` was not set for a time. */
  batchLimitThen: Type.Union([
    Type.Object({ from: Type.String(), limit: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]) }),
    Type.Null(),
  ]),
});
export type CompanySettings = Static<typeof CompanySettings>;

export const CompanyConfigured = Type.Object({
  companyId: Type.Integer({ minimum: 1 }),
  settings: CompanySettings,
});
export type CompanyConfigured = Static<typeof CompanyConfigured>;

const storedAs: Readonly<Record<EmployeeFieldKind, TSchema>> = {
  text: Type.String(),
  email: Type.String(),
  phone: Type.String(),
  code: Type.Integer(),
  birthday: Type.String(),
  date: Type.String(),
  dimensions: Type.Record(Type.String(), Type.String()),
};

function stored(name: EmployeeFieldName): TSchema {
  const { kind, required } = employeeField(name);
  return required ? storedAs[kind] : Type.Optional(storedAs[kind]);
}

/** In the order of `employeeFields`, without null. `InvitationDate` is last, only in `added`, not in the canonical form. */
export const EmployeeValues = Type.Unsafe<EmployeeValues>(
  Type.Object(Object.fromEntries(employeeFieldNames.map((name) => [name, stored(name)]))),
);
export type EmployeeValues = EmployeeOf<Record<string, string>>;

export const EmployeeAdded = Type.Object({
  number: EmployeeNumber,
  idDigest: Hex128,
  digest: Hex128,
  /** ISO 8601 UTC; null where none is due. */
  invitationDue: Type.Union([Type.String(), Type.Null()]),
  values: EmployeeValues,
});
export type EmployeeAdded = Static<typeof EmployeeAdded>;

export const EmployeeChanged = Type.Object({
  number: EmployeeNumber,
  /** Where the EmployeeID changes. */
  idDigest: Type.Optional(Hex128),
  digest: Hex128,
  values: EmployeeValues,
});
export type EmployeeChanged = Static<typeof EmployeeChanged>;

export const EmployeeLeft = Type.Object({ number: EmployeeNumber });

/** Returns under the old number and is not invited; `values` with the InvitationDate as sent when new. */
export const EmployeeRestored = Type.Object({
  number: EmployeeNumber,
  idDigest: Hex128,
  digest: Hex128,
  values: EmployeeValues,
});
export type EmployeeRestored = Static<typeof EmployeeRestored>;

export const EmployeeSetSummary = Type.Object({
  operationId: Type.String({ format: 'uuid' }),
  bodySha256: Hex256,
  digestVersion: Type.Integer({ minimum: 1 }),
  inserted: Count,
  updated: Count,
  removed: Count,
  total: Count,
  lastNumber: Count,
  setDigest: Hex128,
});
export type EmployeeSetSummary = Static<typeof EmployeeSetSummary>;

export const EmployeeSetReplaced = Type.Interface([EmployeeSetSummary], {
  added: Type.Array(EmployeeAdded),
  changed: Type.Array(EmployeeChanged),
  left: Type.Array(EmployeeLeft),
  restored: Type.Array(EmployeeRestored),
});
export type EmployeeSetReplaced = Static<typeof EmployeeSetReplaced>;

/** The import changed nothing: no lists, all three counts 0. */
export const EmployeeSetConfirmed = EmployeeSetSummary;

/** On `operation-{operationId}`: a refused call, for its ApiCalls row. */
export const ImportRefused = Type.Object({
  operationId: Type.String({ format: 'uuid' }),
  method: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  bodySha256: Type.Union([Hex256, Type.Null()]),
  validationErrors: Type.Array(Type.String()),
});
