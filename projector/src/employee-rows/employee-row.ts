import { type EmployeeValues, limits } from '@rollcall/contracts';
import { dimensionsText, mirroredFields } from '@rollcall/employee-lists';
import { type EntryRows, MisshapenSet, readFullElement } from '@rollcall/employee-lists/set';

const longestDate = 255;

interface EntryPlace {
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

/** Entries from before the limits on Dimensions; today's are shorter in any spelling. */
const maxEntryBytes = 200 * 1024;

/** Limits of a body (docs/contract.md, "Employees"). */
const { dimensions, dimensionName: name, dimensionValue: value } = limits.employee;
const most = { dimensions, name, value };

const mark = '…';

/** A row that every store accepts: 100 Dimensions, texts cut with a mark, equal names numbered, the rest counted. */
function shortenedValues(values: EmployeeValues): EmployeeValues {
  const entries = Object.entries(values.Dimensions ?? {});
  const shown = new Map<string, string>();
  for (const [index, [name, value]] of entries.slice(0, most.dimensions).entries()) {
    const short = shortened(name, most.name);
    shown.set(shown.has(short) ? `${short}${index}` : short, shortened(value, most.value));
  }
  const rest = entries.length - most.dimensions;
  if (rest > 0) shown.set(`${mark} and ${rest} more`, '');
  return { ...values, Dimensions: Object.fromEntries(shown) };
}

/** Cut first: a name of many megabytes is not counted. */
function shortened(text: string, length: number): string {
  const points = Array.from(text.slice(0, 2 * length + 2));
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}${mark}`;
}
