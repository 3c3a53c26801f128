import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import tap from 'tap';
import { people } from '../application/imports.support.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import { MongodbServer } from '../servers/mongodb-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { skipWithoutServers as skip } from '../servers/three-servers.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const calls = 10;
/** The driver looks for a server that is away for 3 s, and a call may take 5 s: ten of them would be 30 s at least. */
const withinMs = 15_000;

tap.test(
  'small PUTs go on while MongoDB is away: none waits for it as long as a reader would',
  { skip },
  async (t) => {
    const server = await MongodbServer.start();
    t.teardown(() => server.stop());
    const proxy = await TcpProxy.start(server.port);
    t.teardown(() => proxy.stop());
    const on = (port: number): AdaptersConfig => ({
      ...embeddedAdapters(join(t.testdirName, 'data')),
      readModels: { kind: 'mongodb', url: `mongodb://127.0.0.1:${port}/away?directConnection=true` },
    });
    t.testdir();
    const [token] = await prepareInstallation(on(server.port), [1]);
    const { dataDir } = on(0);
    for (const mode of ['refuse', 'swallow'] as const) {
      const api = new ChildProcess({
        dataDir,
        entry: entryOf('api'),
        env: adapterEnvironment(on(proxy.port)),
      });
      t.teardown(() => api.kill());
      const url = (await api.says(/The api listens on \S+/)).split(' ').at(-1);
      const put = async (count: number): Promise<number> => {
        const answer = await fetch(`${url}/v1.0/Company/1/Employee`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(people(count)),
        });
        await answer.text();
        return answer.status;
      };
      t.equal(await put(1), 200);

      proxy.setMode(mode);
      const begun = performance.now();
      for (let n = 2; n < 2 + calls; n += 1) t.equal(await put(n), 200, mode);
      const took = performance.now() - begun;
      t.ok(took < withinMs, `${mode}: ${Math.round(took)} ms`);
      proxy.setMode('pass');
      proxy.reset();
      t.equal(await api.stop(), 0);
    }
  },
);
