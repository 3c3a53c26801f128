import { createHmac, timingSafeEqual } from 'node:crypto';
import { isOperatorLink, type OperatorLink } from '@rollcall/contracts';

/** Signs links, cookies and forms of the operations page; it follows from the installation's key. */
export const operatorKey = (digestKey: Uint8Array): Uint8Array =>
  createHmac('sha256', digestKey).update('rollcall: operations page').digest();

/** `purpose` keeps a signature for one thing from being one for another. */
export const signatureOf = (key: Uint8Array, purpose: 'link' | 'cookie' | 'form', text: string): string =>
  createHmac('sha256', key).update(`${purpose}/${text}`).digest('base64url');

export function isSignature(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export function signOperatorLink(key: Uint8Array, signed: OperatorLink): string {
  const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
  return `${text}.${signatureOf(key, 'link', text)}`;
}

/** Undefined for one that is altered, of another installation, or expired. Whether it was used, the log says. */
export function readOperatorLink(key: Uint8Array, token: string, now: number): OperatorLink | undefined {
  const [text = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || !isSignature(signature, signatureOf(key, 'link', text))) return undefined;
  const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
  return isOperatorLink(value) && now < value.expiresAt ? value : undefined;
}
