import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { watchDataFolder } from './data-folder-metrics.js';
import { Metrics } from './metrics.js';

const value = (scraped: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(scraped)?.[1] ?? Number.NaN);

t.test('a scrape tells what is free and what is used', async (t) => {
  const folder = t.testdir();
  const metrics = new Metrics({ defaults: false });
  watchDataFolder(metrics, folder);
  const empty = await metrics.scrape();
  t.ok(value(empty, 'rollcall_data_folder_free_bytes') > 0);
  t.equal(value(empty, 'rollcall_data_folder_used_bytes'), 0);
  for (const part of ['event-log', 'outbox']) {
    await mkdir(join(folder, part));
    await writeFile(join(folder, part, 'file'), Buffer.alloc(1_000_000, 1));
  }
  const used = value(await metrics.scrape(), 'rollcall_data_folder_used_bytes');
  t.ok(used >= 1_000_000 && used < 1_100_000, `${used}, the outbox left out`);
  await rm(folder, { recursive: true });
  const gone = await metrics.scrape();
  t.ok(Number.isNaN(value(gone, 'rollcall_data_folder_used_bytes')));
  t.match(gone, 'rollcall_scrape_errors_total{part="data_folder"} 1');
});
