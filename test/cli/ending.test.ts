import tap from 'tap';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { runScript } from './rollcall.js';

tap.test('a command that has done its work ends, whatever is still open', async (t) => {
  // As a question to a name server that does not answer, which a driver asks and nobody waits for.
  const open = 'data:text/javascript,setInterval(() => undefined, 1000)';
  const ran = await runScript(bundleOf('rollcall'), ['--version'], { NODE_OPTIONS: `--import "${open}"` });
  t.match(ran, { code: 0, out: /^\d+\.\d+\.\d+/ });
});

tap.test('what cannot be written is one line', async (t) => {
  const args = ['-c', 'exec "$0" "$1" --help >/dev/full', process.execPath, bundleOf('rollcall')];
  const { code, err } = await new Program(args, { command: 'bash', quiet: true }).ended;
  t.equal(code, 1);
  t.match(err, /^What was asked for could not be written: ENOSPC.*\n$/);
});
