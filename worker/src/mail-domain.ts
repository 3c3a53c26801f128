import { domainToASCII } from 'node:url';
import type { Mailbox } from '@rollcall/application';

/** For Message-IDs. */
export const domainOf = ({ address }: Mailbox): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1));
