import { codes } from './limits.js';

export type EmployeeFieldKind = 'text' | 'email' | 'phone' | 'code' | 'birthday' | 'date' | 'dimensions';

export interface EmployeeField {
  readonly kind: EmployeeFieldKind;
  readonly required: boolean;
  /** Unicode code points. */
  readonly maxLength?: number;
  readonly codes?: Readonly<Record<string, number>>;
  /** Also among the Dimensions of an answer, and accepted there. */
  readonly isMirrored?: true;
}

const text = <M extends number>(maxLength: M) => ({ kind: 'text', required: false, maxLength }) as const;
const requiredText = <M extends number>(maxLength: M) =>
  ({ kind: 'text', required: true, maxLength }) as const;

/** The fields in stored order (interface.md, "Employee"). Schemas, rules and the reader's table are derived from it. */
export const employeeFields = {
  EmployeeID: requiredText(50),
  Firstname: requiredText(150),
  Lastname: requiredText(150),
  Phonenumber: { kind: 'phone', required: false },
  Email: { kind: 'email', required: true },
  Gender: { kind: 'code', required: false, codes: codes.gender },
  EmploymentStatus: { kind: 'code', required: true, codes: codes.employmentStatus },
  Birthday: { kind: 'birthday', required: false },
  JobTitle: text(50),
  Department: { ...text(50), isMirrored: true },
  Role: { ...text(50), isMirrored: true },
  ImmediateManager: { ...text(50), isMirrored: true },
  Dimensions: { kind: 'dimensions', required: false },
  InvitationDate: { kind: 'date', required: false },
} as const satisfies Readonly<Record<string, EmployeeField>>;

type Fields = typeof employeeFields;
export type EmployeeFieldName = keyof Fields;

type NamesWith<P> = { [N in EmployeeFieldName]: Fields[N] extends P ? N : never }[EmployeeFieldName];
type RequiredFieldName = NamesWith<{ readonly required: true }>;

export const isEmployeeField = (name: string): name is EmployeeFieldName =>
  Object.hasOwn(employeeFields, name);

export const employeeFieldNames: readonly EmployeeFieldName[] =
  Object.keys(employeeFields).filter(isEmployeeField);

export const employeeField = (name: EmployeeFieldName): EmployeeField => employeeFields[name];

export const isMirroredField = (name: string): name is NamesWith<{ readonly isMirrored: true }> =>
  isEmployeeField(name) && employeeField(name).isMirrored === true;

type ValueOf<Kind, Dimensions> = Kind extends 'code'
  ? number
  : Kind extends 'dimensions'
    ? Dimensions
    : string;

export type EmployeeOf<Dimensions, Missing = never> = {
  [N in RequiredFieldName]: ValueOf<Fields[N]['kind'], Dimensions>;
} & {
  [N in Exclude<EmployeeFieldName, RequiredFieldName>]?: ValueOf<Fields[N]['kind'], Dimensions> | Missing;
};
