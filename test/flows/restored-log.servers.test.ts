import { join } from 'node:path';
import tap from 'tap';
import { rollcallOn } from '../cli/rollcall.js';
import { startChildServer } from '../servers/child-server.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

const { eventLog, folder, dataDir, env, tokens } = await standInInstallation();
const service = await startChildServer({ dataDir, env });
tap.teardown(() => service.kill());

const put = (people: number) => putEmployees(service.url, tokens[0], people);

const isReady = async (): Promise<boolean> => (await fetch(`${service.url}/health/ready`)).status === 200;

tap.test(
  'a company at the same revision in a restored log is another one, which nobody appends to from memory',
  async (t) => {
    t.equal((await put(3)).status, 200);
    await eventLog.backUp(join(folder, 'copy'));
    await until('it is ready', isReady);
    t.equal((await put(4)).status, 200);
    await eventLog.restore(join(folder, 'copy'));
    const rollcall = rollcallOn(dataDir, env);
    const name = 'x'.repeat(90);
    t.match(await rollcall(['company', 'configure', '--company', '7', '--name', name]), { code: 0 });
    const lost = /the event log does not hold .* that this process has seen.*: restart this process/;
    let answer = await put(5);
    await until('the log is reached again', async () => {
      answer = await put(5);
      return answer.status !== 503 || lost.test(answer.text);
    });
    t.match(answer, { status: 503, text: lost });
    for (let n = 0; n < 2; n++) {
      const ready = await fetch(`${service.url}/health/ready`);
      t.match({ status: ready.status, text: await ready.text() }, { status: 503, text: lost });
    }
    t.match(await rollcall('audit log --company 7 --json'), { code: 0 });
    t.notMatch((await rollcall('audit verify')).err, /The log is broken/, 'its chain is whole');
  },
);
