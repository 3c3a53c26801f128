import type { Test } from 'tap';
import { services, type Stack } from './stack.js';

/** What the containers can see and do, an api's above all, and whether each replica's metrics are found. */
export async function checkContainers(t: Test, stack: Stack): Promise<void> {
  const [api = ''] = await stack.containers('api');
  const inApi = (script: string): Promise<string> => stack.engine.docker('exec', api, 'sh', '-c', script);
  t.equal(await inApi('cd /keys && ls; ls /data'), 'anchors\ndigest.key\npublic\n', 'no private key');
  t.match(
    await inApi('touch /keys/x /rollcall/x /usr/x 2>&1; true'),
    /^(touch: .*Read-only file system\n){3}$/,
  );
  t.match(await inApi('cat /proc/self/status'), /^CapBnd:\t0+$/m, 'no capability');
  for (const service of services) {
    const [id = ''] = await stack.containers(service);
    const limits = await stack.inspect(
      id,
      '{{.HostConfig.Memory}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.LogConfig.Config}} {{.Config.User}}',
    );
    t.match(limits, /^2147483648 true map\[max-file:5 max-size:20m\] node$/, `${service} has limits`);
  }
  const lookUp =
    "require('node:dns').promises.resolve4('api').then(async (all) => { for (const one of all) console.log((await fetch('http://' + one + ':9464/metrics')).status) })";
  const [projector = ''] = await stack.containers('projector');
  const scraped = await stack.engine.docker('exec', projector, 'node', '-e', lookUp);
  t.equal(scraped, '200\n200\n200\n', "each replica's metrics are found by the service's name");
}
