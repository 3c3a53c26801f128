import { employeeFieldNames, type EmployeeFieldName, isMirroredField, limits } from '@rollcall/contracts';

export type FieldName = EmployeeFieldName;

/** In stored order. */
export const fieldNames = employeeFieldNames;

export const field = Object.freeze(
  Object.fromEntries(fieldNames.map((name, index) => [name, index])),
) as Readonly<Record<FieldName, number>>;

/** Reporting fields that GET shows among the Dimensions; callers may send them back there. */
export const mirroredFields = fieldNames.filter(isMirroredField);

export const maxDimensionValueLength = limits.employee.dimensionValue;
export const maxDimensionNameLength = limits.employee.dimensionName;
/** Per employee, without the mirrored fields (docs/contract, "Dimensions"). */
export const maxDimensions = limits.employee.dimensions;
