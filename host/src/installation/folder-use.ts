import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type AdaptersConfig, isAlive, startOf, embeddedAmong, ensureWhole } from '@rollcall/adapters';

/** `.in-use-<start>-<pid>-<id>@<host>` in the data folder, while a process uses it. */
const IN_USE = /^\.in-use-(\d*)-(\d+)-[0-9a-f-]{36}@(.*)$/;

/** Removed at exit, except after a crash or kill. */
const held = new Set<string>();

/** Removed with all that is in them when an interrupted process leaves. */
export const temporaryFolders = new Set<string>();

export function leaveFolders(): void {
  for (const path of [...held, ...temporaryFolders]) rmSync(path, { recursive: true, force: true });
  held.clear();
}

/** Marks the folder as used. After another process crashed, reads embedded stores first: damage may have caused it. */
export async function beginUse(
  config: AdaptersConfig,
  { say, readAll = false }: { readonly say: (line: string) => void; readonly readAll?: boolean },
): Promise<{ close(): Promise<void> }> {
  if (embeddedAmong(config).length === 0) return { close: () => Promise.resolve() };
  const left = await marksLeft(config.dataDir);
  const end = mark(config.dataDir);
  try {
    if (readAll || left.length > 0) await ensureWhole(config, say);
    for (const name of left) await rm(join(config.dataDir, name), { force: true });
    return { close: () => Promise.resolve(end()) };
  } catch (error) {
    end();
    throw error;
  }
}

async function marksLeft(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => {
    const [, start, pid, host] = IN_USE.exec(name) ?? [];
    if (pid === undefined) return false;
    return host !== hostname() || !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
  });
}

/** Whether another process of this host uses the folder. */
export async function isInUse(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const left = await marksLeft(folder);
  return names.some((name) => IN_USE.test(name) && !left.includes(name) && !held.has(join(folder, name)));
}

/** A read-only folder is reported when the stores open. */
function mark(folder: string): () => void {
  const name = `.in-use-${startOf(process.pid)}-${process.pid}-${randomUUID()}@${hostname()}`;
  const path = join(folder, name);
  try {
    writeFileSync(path, '', { mode: 0o600 });
  } catch {
    return () => undefined;
  }
  if (held.size === 0) process.once('exit', leaveFolders);
  held.add(path);
  return () => {
    rmSync(path, { force: true });
    held.delete(path);
    if (held.size === 0) process.removeListener('exit', leaveFolders);
  };
}
