import tap from 'tap';
import { objectOf, rollcallWithin } from '../cli/rollcall.js';
import { serviceOnServers } from '../faults/service-on-servers.js';
import { generatedEmployees } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { until } from '../support/until.js';

tap.test('beside a load on servers the whole log is proved, anchored and verified', async (t) => {
  const { url, tokens, direct } = await serviceOnServers(t, [1]);
  const rollcall = rollcallWithin(direct.dataDir, adapterEnvironment(direct));
  const all = generatedEmployees(300);
  for (let call = 0; call < 10; call++) {
    const answer = await fetch(`${url}/v1.0/Company/1/Employee`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify(all.slice(0, 290 + call)),
    });
    t.equal(answer.status, 200, await answer.text());
  }
  const proofNow = async () => objectOf(await rollcall('status --json'))['proof'] as Record<string, unknown>;
  await until('the whole log was proved', async () => (await proofNow())['wholeAt'] !== null);
  t.match(await proofNow(), { broken: { length: 0 } });
  const file = `${t.testdirName}/anchors.ndjson`;
  t.match(await rollcall(['audit', 'anchor', '--file', file]), { code: 0 });
  const verified = await rollcall(['audit', 'verify', '--anchor', file]);
  t.match(verified, { code: 0, out: /nothing is missing or changed among the first \d+ events/ });
  t.match(verified.out, /The read models are what the log says/);
});
