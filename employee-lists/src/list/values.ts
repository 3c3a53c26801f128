import type { EmployeeValues } from '@rollcall/contracts';
import { canonicalUtcDate } from '../text/dates.js';
import { field, fieldNames } from './fields.js';

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function dimensionsText(dimensions: Readonly<Record<string, string>>): string {
  const names = Object.keys(dimensions).sort(byCodeUnit);
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(dimensions[name])}`).join(',')}}`;
}

function memberTexts(values: EmployeeValues): string[] {
  const members: string[] = [];
  for (const name of fieldNames) {
    const value = values[name];
    if (value === undefined) continue;
    members.push(`"${name}":${typeof value === 'object' ? dimensionsText(value) : JSON.stringify(value)}`);
  }
  return members;
}

/** The stored values: members in the order of `fieldNames`, Dimensions sorted by code unit. */
export const valuesText = (values: EmployeeValues): string => `{${memberTexts(values).join(',')}}`;

/** The stored values of an employee who was present before (docs/contract, "Values replaced"). */
export function withoutInvitationDate(values: EmployeeValues): EmployeeValues {
  const copy = { ...values };
  delete copy.InvitationDate;
  return copy;
}

/** Begins a field. 0xFF and 0xFE never occur in UTF-8, so no text can look like a boundary. */
export const fieldMark = 0xff;
/** Between the name and the value of a dimension. */
export const nameMark = 0xfe;

function canonicalFields(values: EmployeeValues): [index: number, text: string][] {
  const parts: [number, string][] = [];
  fieldNames.forEach((name, index) => {
    const value = name === 'InvitationDate' ? undefined : values[name];
    if (value === undefined || typeof value === 'object') return;
    parts.push([index, name === 'Birthday' ? canonicalUtcDate(String(value)) : String(value)]);
  });
  return parts;
}

/**
 * The digested form: for each stored field but `InvitationDate` a mark, its index in `fieldNames` and its text in UTF-8;
 * then per dimension, sorted by code unit, a mark, the index of `Dimensions`, name, mark, value. Absent and null are the
 * same because neither is stored, and so are `.000Z` and `Z`. No Unicode normalisation.
 */
export function canonicalBytes(values: EmployeeValues): Buffer {
  const parts: Uint8Array[] = [];
  for (const [index, text] of canonicalFields(values))
    parts.push(Uint8Array.of(fieldMark, index), Buffer.from(text));
  const dimensions = Object.entries(values.Dimensions ?? {}).sort(([a], [b]) => byCodeUnit(a, b));
  for (const [name, value] of dimensions) {
    parts.push(
      Uint8Array.of(fieldMark, field.Dimensions),
      Buffer.from(name),
      Uint8Array.of(nameMark),
      Buffer.from(value),
    );
  }
  return Buffer.concat(parts);
}
