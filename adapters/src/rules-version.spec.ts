import t from 'tap';
import { rulesVersion } from './rules-version.js';

t.test(
  'the version of the rules names their text, what runs them and how numbers lie in memory',
  async (t) => {
    const [text, ...machine] = rulesVersion().split(' ');
    t.match(text, /^[0-9a-f]{32}$/);
    t.strictSame(machine, [process.version, process.arch]);
    t.equal(rulesVersion(), rulesVersion());
  },
);
