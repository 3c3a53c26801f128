import { statfs } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';

/** LMDB passes the reason of a failed commit as a rejected promise that nobody awaits. */
export async function causeOfFailure(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}

/** A short write with fewer free bytes means a full disk. */
const minFreeBytes = 1024 * 1024;

/** For example `ENOSPC`; LMDB reports a short write as `EIO`. */
export async function codeOfFailure(cause: unknown, folder: string): Promise<string> {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const name =
    typeof code === 'number' ? (getSystemErrorMap().get(-code)?.[0] ?? String(code)) : String(code);
  return name === 'EIO' && (await isFull(folder)) ? 'ENOSPC' : name;
}

async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < minFreeBytes;
  } catch {
    return false;
  }
}
