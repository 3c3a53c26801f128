import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Makes what was created or renamed in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What this process is writing just now. */
const underWay = new Set<string>();
const beingWritten = /^\.(?:(.*)-)?(\d+)-[0-9a-f-]{36}\.new$/;
/** Nobody writes a file for so long. */
const longestWriteMs = 3_600_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Of another host, or container, only the age tells: it has processes of the same ids. */
async function isLeftover(folder: string, name: string): Promise<boolean> {
  const [, host, id] = beingWritten.exec(name) ?? [];
  if (id === undefined) return false;
  const pid = Number(id);
  if (host === hostname()) return pid === process.pid ? !underWay.has(name) : !isAlive(pid);
  const written = await stat(join(folder, name)).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > longestWriteMs;
}

/** Removes what processes that were killed in the middle left behind: it may be half of a secret, or a whole one. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (await isLeftover(folder, name)) await rm(join(folder, name), { force: true });
}

/** A text, or bytes one behind the other. */
type Content = string | Uint8Array | readonly Uint8Array[];

interface NewFile {
  readonly file: string;
  readonly content: Content;
  readonly mode: number;
  /** The folder in which it is written. */
  readonly aside: string;
}

/** Writes a file aside of its place-to-be, whole and synced, and gives its path to `place`; it is gone afterwards. */
async function withFileAside<T>(
  { file, content, mode, aside }: NewFile,
  place: (path: string) => Promise<T>,
): Promise<T> {
  await removeLeftovers(aside);
  const name = `.${hostname()}-${process.pid}-${randomUUID()}.new`;
  underWay.add(name);
  try {
    await writeSynced(join(aside, name), content, mode);
    return await place(join(aside, name));
  } finally {
    await rm(join(aside, name), { force: true });
    underWay.delete(name);
    await syncFolder(dirname(file));
  }
}

/** Writes a whole new file; it is durable once its folder is synced too. */
async function writeSynced(path: string, content: Content, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await writeFile(handle, content);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function linkOrFalse(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Makes a folder, and those above it that are missing, durably; only their owner may look into what is new. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return;
  }
}

/**
 * Creates a file with all of its content at once, or leaves the one that is there as it is and answers false. Whoever sees
 * the file sees it whole, and it is durable before this returns, also where another process was faster.
 */
export const createOnce = (file: string, content: Content, mode: number): Promise<boolean> =>
  withFileAside({ file, content, mode, aside: dirname(file) }, (path) => linkOrFalse(path, file));

/**
 * Puts a file in place whole and durably, instead of the one that may be there. What is `aside` lies in the same file system; what
 * killed processes left there goes.
 */
export const replaceFile = (
  file: string,
  content: Content,
  mode: number,
  aside = dirname(file),
): Promise<void> => withFileAside({ file, content, mode, aside }, (path) => rename(path, file));
