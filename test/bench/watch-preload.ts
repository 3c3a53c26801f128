import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { LoopWatch } from './loop-watch.js';

// Loaded before a part of the service, which runs as it always does: somebody watches the event loop of its main thread.
// Each request tells what was seen since the one before.
if (isMainThread) {
  const watch = new LoopWatch();
  const server = createServer((_request, response) => response.end(JSON.stringify(watch.take())));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(process.env['DATA_DIR'] ?? '', 'loop-port'), String(port));
  });
  server.unref();
}
