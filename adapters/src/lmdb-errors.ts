import { statfs } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';

/** Why a transaction failed. LMDB hands the reason of a failed commit on as a rejected promise: nobody else listens to it. */
export async function causeOfFailure(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}

/** Free bytes below which a write that was cut short is put down to a full disk. */
const nothingFree = 1024 * 1024;

/** The name of what went wrong in a store of the folder, for example `ENOSPC`. LMDB calls a write that was cut short `EIO`. */
export async function codeOfFailure(cause: unknown, folder: string): Promise<string> {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const name =
    typeof code === 'number' ? (getSystemErrorMap().get(-code)?.[0] ?? String(code)) : String(code);
  return name === 'EIO' && (await isFull(folder)) ? 'ENOSPC' : name;
}

async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < nothingFree;
  } catch {
    return false;
  }
}
