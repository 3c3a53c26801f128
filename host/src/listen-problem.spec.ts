import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import tap from 'tap';
import { listenProblem } from './listen-problem.js';

tap.test('a port that is taken, perhaps by the same process', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const second = createServer();
  const failed = new Promise<Error>((resolve) => second.once('error', resolve));
  second.listen(port, '127.0.0.1');
  t.equal(
    listenProblem(await failed, { host: '127.0.0.1', port }),
    `PORT ${port} on 127.0.0.1 is taken: PORT and METRICS_PORT must differ, and nothing else may listen there.`,
  );
});
