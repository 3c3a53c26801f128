import { limits } from '@rollcall/contracts';

/** The members of an employee in the order in which they are stored (interface.md, "Employee"; `Birthday` from its sample). */
export const fieldNames = [
  'EmployeeID',
  'Firstname',
  'Lastname',
  'Phonenumber',
  'Email',
  'Gender',
  'EmploymentStatus',
  'Birthday',
  'JobTitle',
  'Department',
  'Role',
  'ImmediateManager',
  'Dimensions',
  'InvitationDate',
] as const;
export type FieldName = (typeof fieldNames)[number];

/** Index of a field in `fieldNames`. */
export const field = Object.freeze(
  Object.fromEntries(fieldNames.map((name, index) => [name, index])),
) as Readonly<Record<FieldName, number>>;

export const fieldCount = fieldNames.length;

export interface TextRule {
  readonly required: boolean;
  /** Unicode code points (interface.md, "Limits"). */
  readonly maxLength: number;
}

/** The fields that are plain texts. */
export const textRules = {
  EmployeeID: { required: true, maxLength: limits.employee.EmployeeID },
  Firstname: { required: true, maxLength: limits.employee.Firstname },
  Lastname: { required: true, maxLength: limits.employee.Lastname },
  JobTitle: { required: false, maxLength: limits.employee.JobTitle },
  Department: { required: false, maxLength: limits.employee.Department },
  Role: { required: false, maxLength: limits.employee.Role },
  ImmediateManager: { required: false, maxLength: limits.employee.ImmediateManager },
} as const satisfies Partial<Record<FieldName, TextRule>>;

/** Reporting fields that also appear among the Dimensions of an answer, and may come back in them. */
export const mirroredFields = ['Department', 'Role', 'ImmediateManager'] as const;

export const maxDimensionValueLength = limits.employee.dimensionValue;
export const maxDimensionNameLength = limits.employee.dimensionName;
/** Of one employee, the mirrored fields not counted (docs/contract, "Dimensions"). */
export const maxDimensions = limits.employee.dimensions;
