import { projections, rebuildInto } from '@rollcall/projector';
import { openAdapters, openEmbeddedReadModels } from '@rollcall/adapters';

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Cost } from './employee-cases.js';
import { memoryOf, watchMemory } from './memory.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/**
 * Replays the log of a data folder into empty read models, beside the live ones, with sync, and prints what it cost as
 * JSON. A process of its own, so that its memory is its own.
 */
const [dataDir = ''] = process.argv.slice(2);
const adapters = await openAdapters(embeddedAdapters(dataDir));
const folder = await mkdtemp(join(dataDir, 'replay-'));
const target = await openEmbeddedReadModels({ folder });
const idle = memoryOf(process.pid);
const watched = watchMemory(process.pid);
const before = process.cpuUsage();
const begun = performance.now();
await rebuildInto(
  await target.liveGeneration(),
  { log: adapters.log, projections },
  await adapters.log.lastPosition(),
);
const clock = performance.now() - begun;
const { user, system } = process.cpuUsage(before);
const peak = watched();
await target.close();
await adapters.close();
await rm(folder, { recursive: true });
const spent = (user + system) / 1_000;
const cost: Cost = {
  clock,
  readable: NaN,
  answered: spent,
  rested: spent,
  rss: peak.rss - idle.rss,
  anonymous: peak.anonymous - idle.anonymous,
};
process.stdout.write(`${JSON.stringify(cost)}\n`);
