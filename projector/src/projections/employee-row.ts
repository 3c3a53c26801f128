import type { EmployeeValues } from '@rollcall/contracts';
import { dimensionsText, HeldElement, mirroredFields, pieceBytes, readFullElement } from '@rollcall/domain';
import { longestEntry, shortenedValues } from './long-dimensions.js';
import type { JsonArena } from './json-arena.js';

/** A new or changed employee as its documents want it. */
export interface EmployeeRow {
  readonly number: number;
  /** The EmployeeID, NUL, the number: sorts as the EmployeeID does, because NUL is in none and before every character. */
  readonly orderKey: string;
  /** JSON text: the element of GET employees. */
  readonly json: Uint8Array;
}

/** Where an entry lies. */
export interface EntryPlace {
  readonly kind: 'added' | 'changed';
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

const valuesMark = Buffer.from('"values":');
/** Behind `{"number":`. */
const numberStart = 10;

/**
 * Makes elements of `GET /v1.0/Company/{companyId}/Employee` from entries of `EmployeeSetReplaced` (docs/contract,
 * "Employees"). Values that the reader of bodies settles are valid by the catalogue and are copied as bytes; all others are
 * parsed and checked. Both ways give the same row.
 */
export class EmployeeRows {
  readonly #companyId: number;
  readonly #arena: JsonArena;

  constructor(companyId: number, arena: JsonArena) {
    this.#companyId = companyId;
    this.#arena = arena;
  }

  row(entry: EntryPlace): EmployeeRow {
    const { bytes, start, end } = entry;
    const values = bytes.indexOf(valuesMark, start) + valuesMark.length;
    const row =
      end - start > longestEntry || values >= end
        ? undefined
        : HeldElement.use((held) => this.#copiedRow(held, entry, values));
    return row ?? this.#parsedRow(entry);
  }

  #copiedRow(held: HeldElement, { bytes, start, end }: EntryPlace, values: number): EmployeeRow | undefined {
    const text = bytes.subarray(values, end - 1);
    if (text.length > pieceBytes) return undefined;
    held.load(text);
    if (!held.hold(0, text.length, false)) return undefined;
    const number = Number.parseInt(
      bytes.toString('latin1', start + numberStart, start + numberStart + 17),
      10,
    );
    held.putRow(number, this.#companyId);
    const json = this.#arena.copy(held.output);
    return { number, orderKey: held.orderKey(number), json };
  }

  #parsedRow({ kind, bytes, start, end }: EntryPlace): EmployeeRow {
    const entry = readFullElement(kind, bytes, start, end);
    if (entry.kind === 'left') throw new TypeError('an entry that left has no row');
    const values = end - start > longestEntry ? shortenedValues(entry.values) : entry.values;
    return {
      number: entry.number,
      orderKey: `${entry.values.EmployeeID}\0${entry.number}`,
      json: Buffer.from(rowText(this.#companyId, entry.number, values)),
    };
  }
}

/** The same row from parsed values. */
export function rowText(companyId: number, number: number, values: EmployeeValues): string {
  const { Dimensions, InvitationDate, ...fields } = values;
  const front = { Id: number, CompanyId: companyId, ...fields };
  const behind = {
    ...(InvitationDate === undefined ? {} : { InvitationDate }),
    Fullname: `${values.Firstname} ${values.Lastname}`,
    ExternalId: values.EmployeeID,
    ...(values.Phonenumber === undefined ? {} : { ContactNumber: values.Phonenumber }),
    SourcedFromExternalSystem: true,
    Locked: false,
    FirstInvitationDate: null,
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
