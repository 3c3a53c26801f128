import tap from 'tap';
import { bundleOf } from '../support/bundles.js';
import { runScript } from './rollcall.js';

tap.test('a command that has done its work ends, whatever is still open', async (t) => {
  // As a question to a name server that does not answer, which a driver asks and nobody waits for.
  const open = 'data:text/javascript,setInterval(() => undefined, 1000)';
  const ran = await runScript(bundleOf('rollcall'), ['--version'], { NODE_OPTIONS: `--import "${open}"` });
  t.match(ran, { code: 0, out: /^\d+\.\d+\.\d+/ });
});
