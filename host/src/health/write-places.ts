import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { LogRefused } from '@rollcall/application/read';

/** The largest append. */
const probeBytes = 1024 * 1024;

/** Below this, a store's folder is probed before any failure: a write may be larger than the free space. */
const scarceBytes = 64 * 1024 * 1024;

export interface WritePlace {
  readonly name: string;
  /** Rejects with the file system's own error. */
  probe(): Promise<void>;
  isScarce(): Promise<boolean>;
  /** The problem after a failed or late probe; undefined where something else is at fault. */
  problemOf?(): string | undefined;
}

/** Each may be on its own file system. */
const stores = ['event-log', 'read-models', 'queue'];

/** The data folder, and its stores on other file systems. */
export const dataFolderPlace = (dataDir: string): WritePlace =>
  placeOf('data folder', async () => [dataDir, ...(await apartFrom(dataDir, stores))]);

/** The outbox, if it is on its own file system. */
export const outboxPlace = (dataDir: string): WritePlace =>
  placeOf('outbox', () => apartFrom(dataDir, ['outbox']));

export const NO_APPENDS = 'the event log takes no appends';

interface AppendProbes {
  /** As large as an append may be. It writes nothing, so a log that cannot commit accepts it too. */
  readonly largest: () => Promise<void>;
  readonly committed: () => Promise<void>;
}

/** Probes with the largest append until one succeeds; after a failure also with a real write. */
export function appendPlace({ largest, committed }: AppendProbes): WritePlace {
  let isTaken = false;
  let wasTaken = false;
  let problem: string | undefined;
  return {
    name: 'event log',
    probe: async () => {
      isTaken = false;
      if (wasTaken) problem ??= NO_APPENDS;
      try {
        await largest();
        if (wasTaken) await committed();
        isTaken = wasTaken = true;
        problem = undefined;
      } catch (error) {
        if (error instanceof LogRefused) problem = error.message;
        throw error;
      }
    },
    isScarce: () => Promise.resolve(!isTaken),
    // A log that is away is reported by its own probe.
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

const deviceOf = (folder: string): Promise<number | undefined> =>
  stat(folder).then(
    ({ dev }) => dev,
    () => undefined,
  );

async function isScarce(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < scarceBytes;
}

/** Writes as much as an append would, to an unlinked file: nothing outlives the process. */
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
