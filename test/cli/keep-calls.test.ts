import { openEventLog } from '@rollcall/adapters';
import tap from 'tap';
import { append, refused } from '../projector/projector.support.js';
import { operationIdAt } from '../support/operation-id.js';
import { Program } from '../support/program.js';
import { childEnv, rollcallOn } from './rollcall.js';
import { rollcallCommand } from '../support/bundles.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const DAY = 24 * 60 * 60_000;

tap.test('--keep-calls counts instead of KEEP_CALLS', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallOn(dataDir, { KEEP_CALLS: 'all' });
  const at = Date.now() - 3 * DAY;
  const operationId = operationIdAt(at);
  const log = await openEventLog(embeddedAdapters(dataDir));
  await append({ log, clock: { now: () => at } }, `operation-${operationId}`, refused(), { operationId });
  await log.close();
  // Behind the call: rows are removed by the time of the last event.
  await rollcall('company configure --company 7');

  const env = childEnv({ DATA_DIR: dataDir, KEEP_CALLS: 'all', PORT: '0' });
  const service = new Program([rollcallCommand, 'start', '--keep-calls', '2d'], { env, quiet: true });
  await service.says(/"calls":1\b.*past their term/);
  service.signal('SIGTERM');
  t.match(await service.ended, { code: 0, err: '' });

  t.match(await rollcall('audit verify --keep-calls 2d'), {
    code: 0,
    out: /read models are what the log says/,
  });
  t.match(
    await rollcall('audit verify'),
    { code: 1, err: /read models differ/ },
    'without it all has to be there',
  );
});
