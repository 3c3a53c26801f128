import { type Digester, type EmployeeList, readValuesOf } from '@rollcall/employee-lists';
import { type EmployeeSet, type EmployeeSetChange, withRenames } from '@rollcall/employee-lists/set';
import { foldEmail } from '@rollcall/employee-lists/text';

/** A keyed digest of an e-mail address, and the digest of all values with which it stood. */
export interface KnownEmail {
  readonly email: string;
  readonly digest: string;
}

/** By number. A set has no addresses: they are looked up for those who leave. */
export type KnownEmails = ReadonlyMap<number, KnownEmail>;

export const emailDigest = (email: string, digester: Digester): string =>
  digester.userDigest('address', foldEmail(email));

export const valuesDigestAt = ({ digests }: Pick<EmployeeSet, 'digests'>, index: number): string =>
  digests.subarray(index * 4, index * 4 + 4).join();

/** Who comes with the address of exactly one who leaves is that person. A number whose address must be looked up first: `unknown`. */
export function keepRenames(
  {
    list,
    change,
    set,
  }: { readonly list: EmployeeList; readonly change: EmployeeSetChange; readonly set: EmployeeSet },
  known: KnownEmails,
  digester: Digester,
): EmployeeSetChange | { readonly unknown: Uint32Array } {
  if (change.added.length === 0 || change.left.length === 0) return change;
  const leaving = new Map<string, number | undefined>();
  const unknown = change.left.filter((index) => {
    const found = known.get(set.numbers[index] ?? 0);
    if (found?.digest !== valuesDigestAt(set, index)) return true;
    leaving.set(found.email, leaving.has(found.email) ? undefined : index);
    return false;
  });
  if (unknown.length > 0) return { unknown };
  const pairs: number[] = [];
  for (const element of change.added) {
    const index = leaving.get(emailDigest(readValuesOf(list, element).Email, digester));
    if (index !== undefined) pairs.push(element, index);
  }
  return withRenames(change, Uint32Array.from(pairs));
}
