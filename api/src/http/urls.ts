import { surveys } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';

/** The address for the router: a path that is not percent-encoded UTF-8 is taken literally. */
export function literalUrl(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is at the path. A bad `companyId` is the guards' 401 (docs/contract, "401"). */
export function isUnknownPath({ is404, params }: FastifyRequest): boolean {
  if (is404) return true;
  if (typeof params !== 'object' || params === null) return false;
  const { id, '*': file }: { readonly id?: unknown; readonly '*'?: unknown } = params;
  return (typeof id === 'string' && !isId(id)) || (typeof file === 'string' && !isFileName(file));
}

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && surveys.isPositiveId(Number(text));

const isFileName = (path: string): boolean => /^[\w.-]+$/.test(path) && !path.includes('..');
