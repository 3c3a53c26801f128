import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isAlive, machine, startOf } from '../process-lifetime.js';

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Machine, start and number of the process; former versions wrote no start. */
const beingWritten = /^\.(?:([^+]*)(?:\+(\d*))?-)?(\d+)-[0-9a-f-]{36}\.new$/;
const maxWriteMs = 3_600_000;

/** Not what any thread of this process writes. Pids of another machine mean nothing: only the age of their files counts. */
async function isLeftover(folder: string, name: string): Promise<boolean> {
  const [, on, start, id] = beingWritten.exec(name) ?? [];
  if (id === undefined) return false;
  const pid = Number(id);
  if (on === machine) return pid === process.pid ? start !== startOf(pid) : !isAlive(pid);
  const written = await stat(join(folder, name)).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > maxWriteMs;
}

/** Leftovers of killed processes may hold secrets. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (await isLeftover(folder, name)) await rm(join(folder, name), { force: true });
}

type Content = string | Uint8Array | readonly Uint8Array[];

interface NewFile {
  readonly file: string;
  readonly content: Content;
  readonly mode: number;
  readonly aside: string;
}

async function withFileAside<T>(
  { file, content, mode, aside }: NewFile,
  publish: (path: string) => Promise<T>,
): Promise<T> {
  await removeLeftovers(aside);
  const name = `.${machine}+${startOf(process.pid)}-${process.pid}-${randomUUID()}.new`;
  try {
    await writeSynced(join(aside, name), content, mode);
    return await publish(join(aside, name));
  } finally {
    await rm(join(aside, name), { force: true });
    await syncFolder(dirname(file));
  }
}

/** Durable once its folder is synced too. */
async function writeSynced(path: string, content: Content, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await writeFile(handle, content);
    await handle.chmod(mode);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** For `catch`: the value where the error has the code. */
export const insteadOf =
  <T>(code: string, value: T) =>
  (error: unknown): T => {
    if (hasCode(error, code)) return value;
    throw error;
  };

/** Durable, with missing parents; mode 700. False if it exists. */
export async function makePrivateFolder(folder: string): Promise<boolean> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return false;
  for (let made = resolve(folder); ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === resolve(first)) return true;
  }
}

const linkRefusals = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Creates a file durably; false if it exists. Atomic too, except on a file system without hard links, where a reader may see
 * a partial file for a moment.
 */
export const createOnce = (file: string, content: Content, mode: number): Promise<boolean> =>
  withFileAside({ file, content, mode, aside: dirname(file) }, (path) =>
    link(path, file)
      .catch((error: unknown) => {
        if (!linkRefusals.some((code) => hasCode(error, code))) throw error;
        return writeSynced(file, content, mode);
      })
      .then(() => true, insteadOf('EEXIST', false)),
  );

/** Replaces a file atomically and durably. `aside` is on the same file system; leftovers in it are deleted. */
export const replaceFile = (
  file: string,
  content: Content,
  mode: number,
  aside = dirname(file),
): Promise<void> => withFileAside({ file, content, mode, aside }, (path) => rename(path, file));

/** None of a missing folder. */
export const entriesOf = (folder: string): Promise<string[]> =>
  readdir(folder).catch(insteadOf('ENOENT', []));
