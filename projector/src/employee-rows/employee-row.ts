import type { EmployeeValues } from '@rollcall/contracts';
import { dimensionsText, mirroredFields } from '@rollcall/employee-lists';
import { type EntryRows, MisshapenSet, readFullElement } from '@rollcall/employee-lists/set';
import { maxEntryBytes, shortenedValues } from './long-dimensions.js';

const longestDate = 255;

export interface EntryPlace {
  readonly kind: 'added' | 'changed' | 'restored';
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A row that `readEntryRows` leaves (docs/contract, "Employees"): parsed and checked. Both ways give the same row. */
export function parsedRow({ kind, bytes, start, end }: EntryPlace): EntryRows {
  const entry = readFullElement(kind, bytes, start, end);
  if (entry.kind === 'left') throw new TypeError('an entry that left has no row');
  const values = end - start > maxEntryBytes ? shortenedValues(entry.values) : entry.values;
  const text = rowRecord(entry.number, values);
  const due = entry.kind === 'added' ? (entry.invitationDue ?? undefined) : undefined;
  return {
    numbers: [entry.number],
    ends: [text.length],
    text,
    dues: [due],
  };
}

export function rowRecord(number: number, values: EmployeeValues): Buffer {
  const date = Buffer.from(values.InvitationDate ?? '');
  if (date.length > longestDate) throw new MisshapenSet('an InvitationDate is too long');
  return Buffer.concat([Buffer.of(date.length), date, Buffer.from(rowText(number, values))]);
}

function rowText(number: number, values: EmployeeValues): string {
  const { Dimensions, ...fields } = values;
  delete fields.InvitationDate;
  const front = { Id: number, ...fields };
  const behind = {
    Fullname: `${values.Firstname} ${values.Lastname}`,
    ExternalId: values.EmployeeID,
    ...(values.Phonenumber === undefined ? {} : { ContactNumber: values.Phonenumber }),
  };
  const dimensions = shownDimensions(values, Dimensions);
  return `${JSON.stringify(front).slice(0, -1)},"Dimensions":${dimensions},${JSON.stringify(behind).slice(1)}`;
}

/** Stored Dimensions, sorted, then the reporting fields. */
function shownDimensions(values: EmployeeValues, stored: EmployeeValues['Dimensions'] = {}): string {
  const own = Object.entries(stored).filter(([name]) => !mirroredFields.some((field) => field === name));
  const mirrored = mirroredFields.flatMap((name) => {
    const value = values[name] ?? stored[name];
    return value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
  });
  const sorted = own.length === 0 ? [] : [dimensionsText(Object.fromEntries(own)).slice(1, -1)];
  return `{${[...sorted, ...mirrored].join(',')}}`;
}
