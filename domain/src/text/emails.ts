import { isLongerThan } from './code-points.js';
import { foldCase } from './fold-case.js';

const ascii =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;
const wide =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)+$/u;

export const maxEmailLength = 254;

/**
 * The pattern of the HTML e-mail field with letters and digits of every script, a dot in the domain, and at most 254
 * characters (docs/contract, "Email"). Nearly all addresses are settled by the narrow pattern, which is faster.
 */
export function isEmailAddress(text: string): boolean {
  return !isLongerThan(text, maxEmailLength) && (ascii.test(text) || wide.test(text));
}

/** The one form in which e-mail addresses are compared. */
export const foldEmail = (email: string): string => foldCase(email);
