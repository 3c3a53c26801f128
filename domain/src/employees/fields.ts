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
  EmployeeID: { required: true, maxLength: 50 },
  Firstname: { required: true, maxLength: 150 },
  Lastname: { required: true, maxLength: 150 },
  JobTitle: { required: false, maxLength: 50 },
  Department: { required: false, maxLength: 50 },
  Role: { required: false, maxLength: 50 },
  ImmediateManager: { required: false, maxLength: 50 },
} as const satisfies Partial<Record<FieldName, TextRule>>;

/** Reporting fields that also appear among the Dimensions of an answer, and may come back in them. */
export const mirroredFields = ['Department', 'Role', 'ImmediateManager'] as const;

export const maxDimensionValueLength = 50;
export const maxDimensionNameLength = 150;
/** Of one employee, the mirrored fields not counted (docs/contract, "Dimensions"). */
export const maxDimensions = 100;
