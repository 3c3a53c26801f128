import { isEmailAddress } from '@rollcall/employee-lists/text';
import { singleLine } from './compose.js';
import type { Mailbox } from '@rollcall/application';

const withName = /^"?([^"<>]*?)"? *<([^<>\s]+)>$/;

/** `Name <a@example.com>`, `"Name, of Acme" <a@example.com>` or `a@example.com`; otherwise undefined. */
export function parseMailbox(text: string): Mailbox | undefined {
  if (singleLine(text) !== text) return undefined;
  const [, name = '', address = text] = withName.exec(text) ?? [];
  return isEmailAddress(address) ? { name: name.trim(), address } : undefined;
}
