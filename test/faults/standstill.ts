import { openAdapters, type AdaptersConfig } from '@rollcall/adapters';
import { readModelsVersion, readPendingImports } from '@rollcall/application';

export interface Standstill {
  readonly adapters: AdaptersConfig;
  /** Where the processes say how they are. */
  readonly urls: readonly string[];
  /** What callers wait for. */
  readonly waiting: readonly string[];
  /** Processes and what they have written. */
  readonly outputs: readonly { readonly out: string }[];
}

const MOST_OUTPUT = 4_000;

/** What there is to know where nothing goes on: who waits for what, how each part is, what the stores hold. Never throws. */
export async function standstill({ adapters, urls, waiting, outputs }: Standstill): Promise<string> {
  const health = urls.map((url) => fetch(`${url}/health/ready`).then((answer) => answer.text(), String));
  const lines = [
    ...waiting,
    ...(await Promise.all(health)),
    ...(await standing(adapters).catch((error: unknown) => [String(error)])),
    ...outputs.map(({ out }) => out.slice(-MOST_OUTPUT)),
  ];
  return lines.join('\n');
}

async function standing(adapters: AdaptersConfig): Promise<string[]> {
  const all = await openAdapters({ ...adapters, projections: readModelsVersion });
  const { log, readModels, queue } = all;
  try {
    const { position } = await readModels.progress();
    const pending = await readPendingImports(readModels);
    return [
      `the log ends at ${await log.lastPosition()}, the read models are at ${position}`,
      `the queue holds ${JSON.stringify(await queue.depth('imports'))}`,
      ...pending.map((one) => `pending: ${JSON.stringify(one)}`),
    ];
  } finally {
    await all.close();
  }
}
