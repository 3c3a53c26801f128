import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, realpath, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createOnce, hasCode } from './keys/files.js';
import { PAGE_BYTES_AT, TRANSACTION_AT } from './lmdb-store.js';
import { problemByReading, type StoreProblem } from './lmdb-reading.js';

/** `statfs` types of NFS, SMB, CIFS and SMB2, on which hosts would see different memory maps. */
const NETWORK_DISKS: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];

/** With a lock file that it may not write, LMDB 3.5.6 damages its own memory. */
const STORE_FILES: readonly string[] = ['data.mdb', 'lock.mdb'];

export interface FolderRole {
  readonly what: string;
  readonly unavailable: (message: string, cause?: unknown) => Error;
  readonly mend: string;
}

export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
}

/** Creates the folder; its real path. The role's error too if this user may not write to it, or to a file of its store. */
export async function usableFolder(folder: string, role: FolderRole): Promise<string> {
  let path = folder;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    for (path of STORE_FILES.map((name) => join(folder, name)).filter(existsSync))
      await access(path, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const { code = 'it failed' } = cause as NodeJS.ErrnoException;
    const why = ['EACCES', 'EPERM'].includes(code) ? 'correct its owner or permissions' : code;
    throw role.unavailable(`The ${role.what} in ${path} cannot be written by this user: ${why}`, cause);
  }
  return readableFolder(folder, role);
}

/** For a folder that is only read. The role's error for a network disk, and a foreign or truncated file. */
export async function readableFolder(folder: string, role: FolderRole): Promise<string> {
  if (NETWORK_DISKS.includes((await statfs(folder)).type)) {
    throw role.unavailable(`The ${role.what}'s folder ${folder} lies on a network disk: choose a local one`);
  }
  const lock = join(folder, 'lock.mdb');
  const { mode } = await stat(folder);
  // LMDB's own has holes, or one for `maxReaders` behind a smaller file: on a full disk a process that writes to one through its
  // map dies, or hangs (SIGBUS).
  if (!existsSync(lock))
    await createOnce(lock, Buffer.alloc(68 * 1024), mode & 0o666).catch((cause: unknown) => {
      if (hasCode(cause, 'ENOSPC') || hasCode(cause, 'EDQUOT'))
        throw role.unavailable(`The disk is full: the ${role.what} needs ${lock}`, cause);
    });
  const problem = await lastingProblem(join(folder, 'data.mdb'));
  if (problem !== undefined) throw outageOf(problem, folder, role);
  return realpath(folder);
}

export function outageOf({ text, isCertain }: StoreProblem, folder: string, role: FolderRole): Error {
  const mend = isCertain ? role.mend : `Try again. If it stays so: ${role.mend}`;
  const message = `The file data.mdb in ${folder} ${text}; it was left as it is. ${mend}`;
  return role.unavailable(message, isCertain ? new StoreDamaged(message) : undefined);
}

/** The file's header on 64-bit little-endian machines, in its first two pages. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const ROOTS_AT: readonly number[] = [88, 136];
const LAST_PAGE_AT = 144;
const HEADER_BYTES = 160;
const PAGE_SIZES: readonly number[] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
const CREATION_MS = 100;
const NO_ROOT = 0xffff_ffff_ffff_ffffn;

/** Looks twice: another process may be creating the file. */
async function lastingProblem(path: string): Promise<StoreProblem | undefined> {
  if ((await problemOfFile(path)) === undefined) return undefined;
  await wait(CREATION_MS);
  return problemOfFile(path);
}

async function problemOfFile(path: string): Promise<StoreProblem | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  return file && problemOf(file, dirname(path)).finally(() => file.close());
}

async function problemOf(file: FileHandle, folder: string): Promise<StoreProblem | undefined> {
  if ((await file.stat()).size === 0) return undefined;
  const first = await headerAt(file, 0);
  if (first.readUInt32LE(MAGIC_AT) !== MAGIC) return certain('is no LMDB store');
  const pageBytes = first.readUInt32LE(PAGE_BYTES_AT);
  if (!PAGE_SIZES.includes(pageBytes)) return certain('is damaged');
  const second = await headerAt(file, pageBytes);
  // Behind the headers: what they name was written before, and the file may be growing.
  const { size } = await file.stat();
  if (size < 2 * pageBytes || second.readUInt32LE(MAGIC_AT) !== MAGIC) return certain('is damaged');
  return problemOfRoots([first, second], BigInt(Math.floor(size / pageBytes)), folder);
}

const certain = (text: string): StoreProblem => ({ text, isCertain: true });

/** A transaction may have released the last pages unwritten, so only reading the store shows whether one is missing. */
async function problemOfRoots(
  headers: readonly [Buffer, Buffer],
  pages: bigint,
  folder: string,
): Promise<StoreProblem | undefined> {
  const roots = headers.flatMap((header) => ROOTS_AT.map((at) => header.readBigUInt64LE(at)));
  if (!roots.every((root) => root < pages || root === NO_ROOT)) return certain('is cut off');
  return lastPageOf(...headers) < pages ? undefined : problemByReading(folder);
}

function lastPageOf(...headers: readonly [Buffer, Buffer]): bigint {
  const [first, second] = headers;
  const isFirst = first.readBigUInt64LE(TRANSACTION_AT) > second.readBigUInt64LE(TRANSACTION_AT);
  return (isFirst ? first : second).readBigUInt64LE(LAST_PAGE_AT);
}

async function headerAt(file: FileHandle, position: number): Promise<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  await file.read(header, 0, HEADER_BYTES, position);
  return header;
}
