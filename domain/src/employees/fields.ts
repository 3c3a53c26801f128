import { employeeFieldNames, type EmployeeFieldName, isMirroredField, limits } from '@rollcall/contracts';

export type FieldName = EmployeeFieldName;

/** The members of an employee in the order in which they are stored. */
export const fieldNames = employeeFieldNames;

/** Index of a field in `fieldNames`. */
export const field = Object.freeze(
  Object.fromEntries(fieldNames.map((name, index) => [name, index])),
) as Readonly<Record<FieldName, number>>;

/** Reporting fields that also appear among the Dimensions of an answer, and may come back in them. */
export const mirroredFields = fieldNames.filter(isMirroredField);

export const maxDimensionValueLength = limits.employee.dimensionValue;
export const maxDimensionNameLength = limits.employee.dimensionName;
/** Of one employee, the mirrored fields not counted (docs/contract, "Dimensions"). */
export const maxDimensions = limits.employee.dimensions;
