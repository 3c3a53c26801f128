import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLogger } from '@rollcall/adapters';
import { readStandaloneConfig, startStandalone } from '@rollcall/standalone';

/** The server that `npm start` runs, with somebody who watches its event loop: each request tells and begins anew. */
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const server = createServer((_request, response) => {
  const told = { p99: delay.percentile(99) / 1e6, worst: delay.max / 1e6 };
  delay.reset();
  response.end(JSON.stringify(told));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(process.env['DATA_DIR'] ?? '', 'loop-port'), String(port));
});
server.unref();
const config = readStandaloneConfig(process.env);
const { address } = await startStandalone(config, createLogger(config.logLevel));
process.stdout.write(`${address}\n`);
