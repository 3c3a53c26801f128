import { isAbsent, type JsonObject, type Report } from '@rollcall/employee-lists/text';

export interface EitherMember {
  /** The name that was sent; by default the contract's. */
  readonly member: string;
  readonly value: unknown;
}

/** By the contract's name or existing clients' (docs/contract, "Names of existing clients"). Reports differing values. */
export function eitherMember(
  source: JsonObject,
  [member, former]: readonly [string, string],
  { prefix, report }: { readonly prefix: string; readonly report: Report },
): EitherMember {
  const value = source[member];
  if (isAbsent(source[former])) return { member, value };
  if (isAbsent(value)) return { member: former, value: source[former] };
  if (value !== source[former]) report(`${prefix}${former} must equal ${member}, or be left out`);
  return { member, value };
}
