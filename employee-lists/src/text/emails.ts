import { limits, patterns } from '@rollcall/contracts';
import { isLongerThan } from './code-points.js';
import { foldCase } from './fold-case.js';

const ascii =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;
const wide = new RegExp(patterns.email, 'u');

export const maxEmailLength = limits.email;

/** docs/contract, "Email". The narrow pattern is faster and settles nearly all. */
export function isEmailAddress(text: string): boolean {
  return !isLongerThan(text, maxEmailLength) && (ascii.test(text) || wide.test(text));
}

export const foldEmail = (email: string): string => foldCase(email);
