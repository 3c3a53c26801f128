import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { skipWithoutServers, startThreeServers } from './three-servers.js';
import { scale } from '../support/scale.js';

const flows = fileURLToPath(new URL('../flows', import.meta.url));
const all = readdirSync(flows).filter((name) => name.endsWith('.test.js'));

/** Every port in use, in one process and in several, in a short time; in full every flow. */
const part = ['api-calls', 'health', 'imports.failures', 'imports.worker', 'managers-put', 'surveys'];
const chosen = scale < 1 ? part.map((name) => `${name}.test.js`) : all;

/** The flows that the embedded adapters pass, on EventStoreDB, MongoDB and NATS. */
if (skipWithoutServers) tap.test('flows on servers', { skip: skipWithoutServers }, () => undefined);
else {
  const servers = await startThreeServers();
  tap.teardown(() => servers.stop());
  const env = { ...process.env, ...servers.urls, TEST_STACK: 'servers' };
  for (const file of chosen)
    await tap.spawn(process.execPath, [`${flows}/${file}`], { env }, `on servers: ${file}`);
}
