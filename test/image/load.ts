import { createInterface } from 'node:readline';
import { GrowingSurveys } from '../faults/growing-surveys.js';
import { settled } from '../faults/settled.js';
import { MovingCompany, SteadyLoad } from '../faults/steady-load.js';

/**
 * Load from where the stack's ports are: `load.js TOKEN TOKEN TOKEN`, of companies 1 to 3. Takes one order a line, and
 * answers each with one line of JSON: `urls URL...` (where the apis are from now on), `counts`, `stop` (ends the load),
 * `settled` (what is there, and what was answered).
 */
const [, , ...tokens] = process.argv;
const [first = '', second = '', third = ''] = tokens;
let urls: readonly string[] = [];
let turn = 0;

const load = new SteadyLoad(() => urls[turn++ % urls.length] ?? '', { mayBeCut: true });
const atOnce = new MovingCompany(load, { companyId: 1, token: first, queued: false });
const queued = new MovingCompany(load, { companyId: 2, token: second, queued: true });
const surveys = new GrowingSurveys(load, { companyId: 3, token: third });

const orders: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  urls: (words) => {
    const begins = urls.length === 0;
    urls = words;
    if (begins) load.start(atOnce.once, atOnce.look, queued.once, surveys.once);
    return urls.length;
  },
  counts: () => ({
    calls: [atOnce.count, queued.count, surveys.count],
    refused: load.refused,
    cut: load.cut,
    problems: load.problems,
  }),
  stop: () => load.stop(),
  settled: async () => {
    const parts = [];
    for (const part of [atOnce, queued, surveys]) parts.push(await settled(part));
    return parts;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', ...words] = line.split(' ');
  const answer = await orders[name]?.(words);
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
}
process.exit();
