import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppendLimited } from '@rollcall/application/read';

/** As much as one append may weigh. */
const probeBytes = 1024 * 1024;

/** With less than this a place is tried before anything has failed: what is written there may be larger than what is left. */
const scarceBytes = 64 * 1024 * 1024;

/** Somewhere that a process writes to, and that can be full. */
export interface WritePlace {
  /** As people know it: it is shown to them. */
  readonly name: string;
  /** Rejects with the file system's own error where it takes nothing. */
  probe(): Promise<void>;
  /** Whether so little is free that a write may fail soon. */
  isScarce(): Promise<boolean>;
  /** What is said where it takes nothing, or nothing came of the probe in time; undefined where that is no problem of it. */
  problemOf?(): string | undefined;
}

/** In the data folder; each may be a file system of its own. */
const stores = ['event-log', 'read-models', 'queue'];

/** The data folder, and those of the stores in it that lie on file systems of their own. */
export const dataFolderPlace = (dataDir: string): WritePlace =>
  placeOf('data folder', async () => [dataDir, ...(await apartFrom(dataDir, stores))]);

/** The folder that invitations are written to, where it is a file system of its own. */
export const outboxPlace = (dataDir: string): WritePlace =>
  placeOf('outbox', () => apartFrom(dataDir, ['outbox']));

/** The largest append that there may be: tried until it is taken for the first time, and again after a write has failed. */
export function largestAppendPlace(probeAppend: () => Promise<void>): WritePlace {
  let isTaken = false;
  let problem: string | undefined;
  return {
    name: 'event log',
    probe: async () => {
      isTaken = false;
      try {
        await probeAppend();
        isTaken = true;
        problem = undefined;
      } catch (error) {
        if (error instanceof AppendLimited) problem = error.message;
        throw error;
      }
    },
    isScarce: () => Promise.resolve(!isTaken),
    // A log that is away has its own words.
    problemOf: () => problem,
  };
}

const placeOf = (name: string, folders: () => Promise<readonly string[]>): WritePlace => ({
  name,
  probe: async () => {
    for (const folder of await folders()) await writeProbe(folder);
  },
  isScarce: async () => (await Promise.all((await folders()).map(isScarce))).includes(true),
});

async function apartFrom(folder: string, names: readonly string[]): Promise<string[]> {
  const device = await deviceOf(folder);
  const inner = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), device: await deviceOf(join(folder, name)) })),
  );
  return inner.filter((one) => one.device !== undefined && one.device !== device).map(({ path }) => path);
}

/** Undefined where there is no such folder. */
const deviceOf = (folder: string): Promise<number | undefined> =>
  stat(folder).then(
    ({ dev }) => dev,
    () => undefined,
  );

async function isScarce(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < scarceBytes;
}

/** Writes as much into the folder as an append would, in a file that has no name by then: nothing of it outlives the process. */
async function writeProbe(folder: string): Promise<void> {
  const path = join(folder, '.write-probe');
  const file = await open(path, 'w', 0o600);
  try {
    await rm(path, { force: true });
    await file.writeFile(Buffer.alloc(probeBytes));
    await file.sync();
  } finally {
    await file.close();
  }
}
