import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AdaptersConfig } from './adapters-config.js';
import { logRole } from './event-log/embedded/store.js';
import { outageOf, usableFolder } from './lmdb-folder.js';
import { problemByReading } from './lmdb-reading.js';
import { readModelsRole } from './read-models/embedded/open.js';

const embedded = {
  eventLog: { name: 'event-log', role: logRole },
  readModels: { name: 'read-models', role: readModelsRole },
} as const;

export type StoreName = keyof typeof embedded;
const all: readonly StoreName[] = ['eventLog', 'readModels'];

export const embeddedAmong = (config: AdaptersConfig, stores = all): readonly StoreName[] =>
  stores.filter((store) => config[store].kind === 'embedded');

/** Reads the files in child processes, since damage could crash this one. The store's outage, caused by `StoreDamaged`. */
export async function ensureWhole(
  config: AdaptersConfig,
  say: (line: string) => void,
  stores: readonly StoreName[] = all,
): Promise<void> {
  await Promise.all(
    embeddedAmong(config, stores).map(async (store) => {
      const { name, role } = embedded[store];
      const folder = join(config.dataDir, name);
      if (!isBegun(join(folder, 'data.mdb'))) return;
      await usableFolder(folder, role);
      const problem = await problemByReading(folder);
      if (problem?.isCertain === true) throw outageOf(problem, folder, role);
      if (problem !== undefined) say(`The file data.mdb in ${folder} ${problem.text}.`);
    }),
  );
}

/** LMDB creates the file before writing to it; an empty file is a new store. */
const isBegun = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
