import { limits, patterns } from '@rollcall/contracts';
import { isLongerThan } from './code-points.js';
import { foldCase } from './fold-case.js';

const ascii =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;
const wide = new RegExp(patterns.email, 'u');

export const maxEmailLength = limits.email;

/**
 * The pattern of the HTML e-mail field with letters and digits of every script, a dot in the domain, and at most 254
 * characters (docs/contract, "Email"). Nearly all addresses are settled by the narrow pattern, which is faster.
 */
export function isEmailAddress(text: string): boolean {
  return !isLongerThan(text, maxEmailLength) && (ascii.test(text) || wide.test(text));
}

/** The one form in which e-mail addresses are compared. */
export const foldEmail = (email: string): string => foldCase(email);
