import { PassThrough } from 'node:stream';
import tap from 'tap';
import { installation } from './imports.support.js';
import { people } from '../application/imports.support.js';
import { rollcallWithin, type Ran } from './rollcall.js';

/** A terminal, and a clock on which each look takes so long. */
function watched(dataDir: string, lookMs: number) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 160 });
  let shown = '';
  terminal.on('data', (text: Buffer) => (shown += text.toString()));
  let now = Date.now();
  const more = {
    screen: terminal as unknown as NodeJS.WriteStream,
    clock: { now: () => (now += lookMs) },
  };
  const rollcall = rollcallWithin(dataDir, {}, more);
  return async (words: string): Promise<Ran & { readonly shown: string }> => {
    shown = '';
    return { ...(await rollcall(words)), shown };
  };
}

tap.test('what takes over a second shows how far it is, on a terminal', async (t) => {
  const on = await installation(t);
  await on.queue(people(1, 2, 3));
  await on.run();
  const bars: Readonly<Record<string, readonly string[]>> = {
    'audit verify': [
      '% of the log',
      '% of the companies',
      '% of the read models, rebuilt',
      '% of the read models, compared',
    ],
    'projections rebuild': ['% of the log'],
  };
  for (const [words, texts] of Object.entries(bars)) {
    const slow = await watched(on.dataDir, 2_000)(words);
    t.equal(slow.code, 0, slow.err);
    for (const text of texts) t.ok(slow.shown.includes(text), `${words}: ${text}`);
    t.notMatch(slow.out, /%/, 'nothing of it on stdout');
    const quick = await watched(on.dataDir, 0)(words);
    t.match(quick, { code: 0, shown: '' }, `${words}: what is quick shows none`);
    const nobody = rollcallWithin(on.dataDir, {}, { clock: { now: () => Date.now() } });
    t.match(await nobody(words), { code: 0, err: '' }, `${words}: without a terminal`);
  }
});
