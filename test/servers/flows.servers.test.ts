import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { forms } from './eventstoredb-forms.js';
import { skipWithoutServers, startThreeServers } from './three-servers.js';
import { scale } from '../support/scale.js';

const flows = fileURLToPath(new URL('../flows', import.meta.url));
const all = readdirSync(flows).filter((name) => name.endsWith('.test.js'));

/** Every port in use, in one process and in several, in a short time; in full every flow. */
const part = [
  'api-calls',
  'employees-one-set',
  'health',
  'imports.failures',
  'imports.worker',
  'managers-put',
  'surveys',
];
const ofEvents = ['api-calls', 'health', 'imports.failures', 'managers-put', 'surveys'];
const chosen = (names: readonly string[]): readonly string[] =>
  scale < 1 ? names.map((name) => `${name}.test.js`) : all;

/** The flows that the embedded adapters pass, on EventStoreDB in each form that is in use, MongoDB and NATS. */
if (skipWithoutServers) tap.test('flows on servers', { skip: skipWithoutServers }, () => undefined);
else {
  const servers = await startThreeServers();
  tap.teardown(() => servers.stop());
  const others = await Promise.all(
    (['secured', 'a cluster'] as const).map(async (name) => ({ name, form: await forms[name]() })),
  );
  tap.teardown(() => Promise.all(others.map(({ form }) => form.stop())));
  const run = async (names: readonly string[], eventLog: string, what: string): Promise<void> => {
    const urls = { ...servers.urls, EVENTSTOREDB_URL: eventLog };
    const env = { ...process.env, ...urls, TEST_STACK: 'servers' };
    for (const file of chosen(names))
      await tap.spawn(process.execPath, [`${flows}/${file}`], { env }, `on ${what}: ${file}`);
  };
  await run(part, servers.urls.EVENTSTOREDB_URL, 'servers');
  for (const { name, form } of others) await run(ofEvents, form.url, name);
}
