import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A server's program: in `$ROLLCALL_SERVERS_DIR`, on the PATH, or where Go installs programs. */
export function findBinary(name: string): string | undefined {
  const { ROLLCALL_SERVERS_DIR, PATH = '', GOBIN, GOPATH = join(homedir(), 'go') } = process.env;
  const goFolders = [GOBIN, ...GOPATH.split(delimiter).map((folder) => join(folder, 'bin'))];
  return [ROLLCALL_SERVERS_DIR, ...PATH.split(delimiter), ...goFolders]
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => join(folder as string, name))
    .find(isExecutable);
}
