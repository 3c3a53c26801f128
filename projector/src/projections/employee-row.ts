import type { EmployeeValues } from '@rollcall/contracts';
import { dimensionsText, type EntryRows, mirroredFields, readFullElement } from '@rollcall/domain';
import { longestEntry, shortenedValues } from './long-dimensions.js';

/** Where an entry lies. */
export interface EntryPlace {
  readonly kind: 'added' | 'changed';
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * The row of an entry of `EmployeeSetReplaced` that `readEntryRows` leaves (docs/contract, "Employees"): its values are parsed and
 * checked. Both ways give the same row.
 */
export function parsedRow({ kind, bytes, start, end }: EntryPlace): EntryRows {
  const entry = readFullElement(kind, bytes, start, end);
  if (entry.kind === 'left') throw new TypeError('an entry that left has no row');
  const values = end - start > longestEntry ? shortenedValues(entry.values) : entry.values;
  const text = Buffer.from(rowText(entry.number, values));
  const due = entry.kind === 'added' ? (entry.invitationDue ?? undefined) : undefined;
  return {
    numbers: [entry.number],
    ends: [text.length],
    text,
    orderKeys: [`${entry.values.EmployeeID}\0${entry.number}`],
    dues: [due],
  };
}

const dateMark = Buffer.from('},"InvitationDate":"');
const behindDimensions = Buffer.from('},"Fullname":"');

/**
 * The row with the InvitationDate of another one, where that has one: the date stays that of the time when the employee was new.
 * The marks stand nowhere else in a row: within texts a quotation mark has a backslash before it, and only the Dimensions are
 * an object.
 */
export function withDateOf(row: Uint8Array, before: Uint8Array | undefined): Uint8Array {
  if (before === undefined) return row;
  const [old, next] = [asBuffer(before), asBuffer(row)];
  const start = old.indexOf(dateMark);
  const place = next.indexOf(behindDimensions);
  if (start < 0 || place < 0) return row;
  const end = old.indexOf('"', start + dateMark.length) + 1;
  return Buffer.concat([next.subarray(0, place + 1), old.subarray(start + 1, end), next.subarray(place + 1)]);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The same row from parsed values. */
export function rowText(number: number, values: EmployeeValues): string {
  const { Dimensions, InvitationDate, ...fields } = values;
  const front = { Id: number, ...fields };
  const behind = {
    ...(InvitationDate === undefined ? {} : { InvitationDate }),
    Fullname: `${values.Firstname} ${values.Lastname}`,
    ExternalId: values.EmployeeID,
    ...(values.Phonenumber === undefined ? {} : { ContactNumber: values.Phonenumber }),
  };
  const dimensions = shownDimensions(values, Dimensions);
  return `${JSON.stringify(front).slice(0, -1)},"Dimensions":${dimensions},${JSON.stringify(behind).slice(1)}`;
}

/** Those that are stored, sorted, and the reporting fields behind them. */
function shownDimensions(values: EmployeeValues, stored: EmployeeValues['Dimensions'] = {}): string {
  const own = Object.entries(stored).filter(([name]) => !mirroredFields.some((field) => field === name));
  const mirrored = mirroredFields.flatMap((name) => {
    const value = values[name] ?? stored[name];
    return value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
  });
  const sorted = own.length === 0 ? [] : [dimensionsText(Object.fromEntries(own)).slice(1, -1)];
  return `{${[...sorted, ...mirrored].join(',')}}`;
}
