import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';
import { command } from './command.js';
import type { LoadProcess } from './load-process.js';
import { servers, services, type Stack } from './stack.js';

const kinds = ['kill', 'restart', 'disconnect'] as const;
type Kind = (typeof kinds)[number];

/** So long a container is cut off. */
const apartMs = 2_000;
/** So many further calls of each kind show that everything goes on. */
const goOn = 3;
const goesOnWithinMs = 240_000;

const faults: Readonly<Record<Kind, (stack: Stack, service: string, id: string) => Promise<unknown>>> = {
  // The first process of the container, as where memory runs out: the engine starts it again, which `docker kill` forbids.
  kill: async (stack, _service, id) => {
    process.kill(Number(await stack.inspect(id, '{{.State.Pid}}')), 'SIGKILL');
  },
  restart: (stack, _service, id) => stack.engine.docker('restart', id),
  disconnect: async (stack, service, id) => {
    const network = `${stack.project}_default`;
    await stack.engine.docker('network', 'disconnect', network, id);
    await wait(apartMs);
    await stack.engine.docker('network', 'connect', '--alias', service, network, id);
  },
};

/** Waits until each kind of call was carried out a few times more; how long it took. */
async function untilItGoesOn(stack: Stack, load: LoadProcess): Promise<number> {
  const begun = performance.now();
  const { calls: before } = await load.counts();
  for (;;) {
    // A container that was started again is published at another port.
    await load.urls(await stack.urls());
    const { calls } = await load.counts();
    if (calls.every((count, index) => count >= (before[index] ?? 0) + goOn)) return performance.now() - begun;
    if (performance.now() - begun > goesOnWithinMs)
      throw new Error(`It does not go on: ${String(before)}, ${String(calls)}\n${await lastLines(stack)}`);
    await wait(200);
  }
}

const lastLines = (stack: Stack): Promise<string> =>
  command(['docker-compose', 'logs', '--no-color', '--tail=5'], { env: stack.env });

/** What the services logged as errors. */
async function errorLines(stack: Stack): Promise<string> {
  const lines = await command(['docker-compose', 'logs', '--no-color', ...services], { env: stack.env });
  return lines
    .split('\n')
    .filter((line) => line.includes('"level":50'))
    .slice(-10)
    .join('\n');
}

/** Kills, restarts and cuts off one container of each service and server in turn, under load. Resolves with how many faults it were. */
export async function throughFaults(t: Test, stack: Stack, load: LoadProcess): Promise<number> {
  let count = 0;
  await untilItGoesOn(stack, load);
  for (const service of [...services, ...servers])
    for (const kind of kinds) {
      const [id = ''] = await stack.containers(service);
      await faults[kind](stack, service, id);
      t.comment(`${service}, ${kind}: goes on after ${Math.round(await untilItGoesOn(stack, load))} ms`);
      const { problems } = await load.counts();
      if (problems.length > 0) t.comment(await errorLines(stack));
      t.strictSame(problems, [], `${service}, ${kind}: every answer was right`);
      count += 1;
    }
  return count;
}
