import { execFileSync } from 'node:child_process';
import { getPriority, platform, userInfo } from 'node:os';
import t from 'tap';

const program = `
  import { getPriority } from 'node:os';
  import { lowerPriority } from ${JSON.stringify(new URL('./lower-priority.js', import.meta.url).href)};
  lowerPriority();
  console.log(getPriority());
`;

/** Root may do what a service may not. */
const unprivileged = userInfo().uid === 0 ? ['setpriv', '--bounding-set=-sys_nice'] : [];

/** The priority of a process that was begun with so much of `nice`, behind the calls. */
const behind = (nice: number): number => {
  const args = [...unprivileged, process.execPath, '--input-type=module', '--eval', program];
  return Number(execFileSync('nice', ['-n', String(nice), ...args], { encoding: 'utf8' }));
};

t.test('a thread goes behind the calls, wherever its process stands', async (t) => {
  const steps = platform() === 'linux' ? 5 : 0;
  for (const nice of [0, 3, 10, 19]) {
    const begun = Math.min(19, getPriority() + nice);
    t.equal(behind(nice), Math.min(19, begun + steps), `begun with ${nice}`);
  }
});
