import { projections, runProjector } from '@rollcall/projector';
import { openAdapters } from '@rollcall/adapters';

import tap, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { objectOf, rollcallWithin } from './rollcall.js';
import { setAside } from '../support/set-aside.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

async function installation(t: Test) {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  for (const company of [1, 2, 3]) await rollcall(`company configure --company ${company}`);
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  const { log, readModels } = adapters;
  const stop = new AbortController();
  let running = Promise.resolve();
  const project = () => (running = runProjector({ log, readModels, projections, signal: stop.signal }));
  t.teardown(() => (stop.abort(), running));
  const projected = async (): Promise<boolean> =>
    readModels.reachedPosition((await log.lastPosition()) ?? 0n, 10_000);
  return { rollcall, adapters, project, projected };
}

tap.test('how far the read models are', async (t) => {
  const { rollcall, project, projected } = await installation(t);
  t.match(await rollcall('projections status'), {
    code: 0,
    out: /at position none, the log ends at \d+: 5 events behind\.\ngeneration +status +position +since\ngeneration-1 +live +none +2/,
    err: '',
  });
  t.match(objectOf(await rollcall('projections status --json')), {
    position: null,
    lag: 5,
    foreign: null,
    parkedStreams: { length: 0 },
    generations: exactly([{ name: 'generation-1', status: 'live', at: String, position: null }]),
  });
  project();
  t.ok(await projected());
  t.match(await rollcall('projections status'), { code: 0, out: /: up to date\./ });
});

tap.test(
  'a stream that has stopped: exit code 1, its revision and the problem; a rebuild mends it',
  async (t) => {
    const { rollcall, adapters, project, projected } = await installation(t);
    project();
    t.ok(await projected());
    await setAside(adapters.readModels, { stream: 'company-2', revision: 0, problem: 'its shape' });
    const stopped = 'company-2 has stopped at revision 0: its shape\n';
    t.match(await rollcall('projections status'), { code: 1, out: /up to date/, err: stopped });
    const ran = await rollcall('projections status --json');
    t.equal(ran.code, 1);
    t.match(objectOf(ran), {
      parkedStreams: exactly([{ stream: 'company-2', revision: 0, problem: 'its shape' }]),
    });

    t.match(await rollcall('projections rebuild'), {
      code: 0,
      out: 'The read models are built anew: generation-2 is live. Events read here: 5.\n',
      err: '',
    });
    t.match(objectOf(await rollcall('projections status --json')), {
      lag: 0,
      parkedStreams: { length: 0 },
      generations: exactly([{ status: 'retired' }, { name: 'generation-2', status: 'live' }]),
    });
  },
);

tap.test('a running projector goes on in the rebuilt read models', async (t) => {
  const { rollcall, adapters, project, projected } = await installation(t);
  project();
  t.ok(await projected());
  t.match(objectOf(await rollcall('projections rebuild --json')), { events: 5, live: 'generation-2' });
  await rollcall('company configure --company 4 --name Four');
  t.ok(await projected());
  t.match(Buffer.from((await adapters.readModels.get('companies', [4])) ?? []).toString(), /Four/);
  t.match(await rollcall('audit verify'), { code: 0, err: '' });
});

tap.test('read models that are ahead of the log', async (t) => {
  const { rollcall, adapters } = await installation(t);
  const readModels = await adapters.readModels.liveGeneration();
  await readModels.advance(await readModels.progress(), { position: 1_000_000n });
  t.match(await rollcall('projections status'), {
    code: 1,
    err: /^The read models know events.*: run rollcall projections rebuild\.\n$/,
  });
  t.match(objectOf(await rollcall('projections status --json')), { foreign: /know events/, lag: null });
});
