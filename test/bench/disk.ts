import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bodies } from './bodies.js';
import { changeOnce, type Template } from './employee-cases.js';
import { hangUp } from './http-client.js';
import { startService } from './service.js';
import { targetSize, type Bench } from './targets.js';

const changes = 10;

/** What the read models and the state snapshots of one company take on disk, in bodies of its list. */
interface DiskUse {
  readonly readModels: number;
  readonly snapshots: number;
}

/** Bytes that the files of a folder take, 0 where there is none. */
export async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return sizes.reduce((sum, file) => sum + (file.isFile() ? 512 * file.blocks : 0), 0);
}

async function diskUse(dataDir: string, body: number): Promise<DiskUse> {
  const [readModels, snapshots] = await Promise.all(
    ['read-models', 'snapshots'].map((name) => bytesIn(join(dataDir, name))),
  );
  return { readModels: (readModels ?? NaN) / body, snapshots: (snapshots ?? NaN) / body };
}

/** What lies on disk behind a first load on the embedded adapters, and behind ten changes of 1 %, spread over the list. */
export async function benchDisk(
  { parent, say, targets }: Bench,
  template: Template,
  bodies: Bodies,
): Promise<void> {
  const dataDir = await mkdtemp(join(parent, 'disk-'));
  await cp(template.folder, dataDir, { recursive: true });
  const service = await startService('together', dataDir);
  const body = bodies.lengthOf('ordinary');
  try {
    await changeOnce(service, template, bodies, 'ordinary');
    const first = await diskUse(dataDir, body);
    for (let change = 1; change <= changes; change += 1)
      await changeOnce(service, template, bodies, change % 2 === 1 ? 'ordinary, changed' : 'ordinary');
    const later = await diskUse(dataDir, body);
    const told = ({ readModels, snapshots }: DiskUse): string =>
      `${readModels.toFixed(2)} (state snapshots ${snapshots.toFixed(2)})`;
    say(
      `Read models on disk, in bodies: ${told(first)} after the first load, ${told(later)} after ${changes} changes of 1 %`,
    );
    if (bodies.size !== targetSize) return;
    const what = 'read models on disk after';
    targets.note({ what: `${what} a first load`, unit: 'bodies', target: 1.6, measured: first.readModels });
    targets.note({
      what: `${what} ${changes} changes of 1 %`,
      unit: 'bodies',
      target: 2.5,
      measured: later.readModels,
    });
  } finally {
    hangUp();
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}
