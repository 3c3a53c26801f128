import { isAbsent, type JsonObject, type Report } from '../json/json-shapes.js';

export interface EitherMember {
  /** The name under which it was sent; the contract's where neither was. */
  readonly member: string;
  readonly value: unknown;
}

/**
 * A member under the contract's name or under that of existing clients (docs/contract, "Names of existing clients"). Where both
 * are given and differ, that is reported. `place` goes before the name.
 */
export function eitherMember(
  source: JsonObject,
  [member, former]: readonly [string, string],
  { place, report }: { readonly place: string; readonly report: Report },
): EitherMember {
  const value = source[member];
  if (isAbsent(source[former])) return { member, value };
  if (isAbsent(value)) return { member: former, value: source[former] };
  if (value !== source[former]) report(`${place}${former} must equal ${member}, or be left out`);
  return { member, value };
}
