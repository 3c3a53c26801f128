import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, open, realpath, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** `statfs` types of NFS, SMB, CIFS and SMB2: memory maps of one file differ between their hosts. */
const NETWORK_DISKS: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];

/** The name of the store in sentences ("event log"), the error that says that it cannot be used, and what then helps. */
export interface FolderRole {
  readonly what: string;
  readonly unavailable: (message: string, cause?: unknown) => Error;
  readonly mend: string;
}

/**
 * Creates the folder where it is missing, and gives back its real path. The role's error, with what to do, where the
 * folder is not writable, lies on a network disk, or holds a file that LMDB did not write or that was cut off: LMDB itself
 * ends the process at the sight of one.
 */
export async function usableFolder(folder: string, role: FolderRole): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw role.unavailable(`The ${role.what}'s folder ${folder} is not writable for this user`, cause);
  }
  if (NETWORK_DISKS.includes((await statfs(folder)).type)) {
    throw role.unavailable(`The ${role.what}'s folder ${folder} lies on a network disk: choose a local one`);
  }
  const problem = await lastingProblem(join(folder, 'data.mdb'));
  if (problem !== undefined) {
    throw role.unavailable(`The file data.mdb in ${folder} ${problem}; it was left as it is. ${role.mend}`);
  }
  return realpath(folder);
}

/** How the library begins its file on every 64-bit little-endian machine: two pages, each with a header of this layout. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const PAGE_BYTES_AT = 48;
const ROOTS_AT: readonly number[] = [88, 136];
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const HEADER_BYTES = 160;
const PAGE_SIZES: readonly number[] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];
const CREATION_MS = 100;
const NO_ROOT = 0xffff_ffff_ffff_ffffn;

/** A file that another process is just creating is whole a moment later. */
async function lastingProblem(path: string): Promise<string | undefined> {
  if ((await problemOfFile(path)) === undefined) return undefined;
  await wait(CREATION_MS);
  return problemOfFile(path);
}

async function problemOfFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return await problemOf(file, dirname(path));
  } finally {
    await file.close();
  }
}

async function problemOf(file: FileHandle, folder: string): Promise<string | undefined> {
  const { size } = await file.stat();
  if (size === 0) return undefined;
  const first = await headerAt(file, 0);
  if (first.readUInt32LE(MAGIC_AT) !== MAGIC) return 'is no LMDB store';
  const pageBytes = first.readUInt32LE(PAGE_BYTES_AT);
  if (!PAGE_SIZES.includes(pageBytes)) return 'is damaged';
  const second = await headerAt(file, pageBytes);
  if (size < 2 * pageBytes || second.readUInt32LE(MAGIC_AT) !== MAGIC) return 'is damaged';
  const isWhole = await isWholeFile([first, second], BigInt(Math.floor(size / pageBytes)), folder);
  return isWhole ? undefined : 'is cut off';
}

async function isWholeFile(
  headers: readonly [Buffer, Buffer],
  pages: bigint,
  folder: string,
): Promise<boolean> {
  const roots = headers.flatMap((header) => ROOTS_AT.map((at) => header.readBigUInt64LE(at)));
  if (!roots.every((root) => root < pages || root === NO_ROOT)) return false;
  return lastPageOf(...headers) < pages || isReadable(folder);
}

/** Of the newest transaction. */
function lastPageOf(...headers: readonly [Buffer, Buffer]): bigint {
  const [first, second] = headers;
  const isFirst = first.readBigUInt64LE(TRANSACTION_AT) > second.readBigUInt64LE(TRANSACTION_AT);
  return (isFirst ? first : second).readBigUInt64LE(LAST_PAGE_AT);
}

const run = promisify(execFile);
const probe = fileURLToPath(new URL('./lmdb-probe.js', import.meta.url));
const PROBE_MS = 60_000;

/**
 * A file may end before its last page: pages that a transaction took and gave back are never written. Whether anything is
 * missing only reading tells, and that may end the process that does it: one of its own.
 */
async function isReadable(folder: string): Promise<boolean> {
  try {
    await run(process.execPath, [probe, folder], { timeout: PROBE_MS, killSignal: 'SIGKILL' });
    return true;
  } catch {
    return false;
  }
}

async function headerAt(file: FileHandle, position: number): Promise<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  await file.read(header, 0, HEADER_BYTES, position);
  return header;
}
