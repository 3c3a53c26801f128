import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { until } from '../support/until.js';

const HOUR_MS = 60 * 60_000;
const people = generatedEmployees(40).map((one) => ({ ...one, InvitationDate: '2026-01-01T08:00:00Z' }));

tap.test('invitations go on where the host’s clock was ahead and is set right', async (t) => {
  const folder = t.testdir({ data: { outbox: {} } });
  const dataDir = join(folder, 'data');
  const [token = ''] = await prepareDataDir(dataDir, [1]);
  const clockFile = join(folder, 'clock');
  const setClock = (wrongBy: number): void => {
    writeFileSync(`${clockFile}.new`, String(wrongBy));
    renameSync(`${clockFile}.new`, clockFile);
  };
  setClock(HOUR_MS);
  const preload = fileURLToPath(new URL('clock-preload.js', import.meta.url));
  const env = { CLOCK_FILE: clockFile, INVITATION_RATE: '10/10' };
  const server = await startChildServer({ dataDir, preload, env });
  t.teardown(() => server.kill());
  const sent = (): number => readdirSync(join(dataDir, 'outbox')).length;
  const put = async (count: number): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify(people.slice(0, count));
    const answer = await fetch(`${server.url}/v1.0/Company/1/Employee`, { method: 'PUT', headers, body });
    t.equal(answer.status, 200, await answer.text());
  };
  await put(20);
  await until('the first are sent', () => sent() === 20);
  setClock(0);
  await put(40);
  await until('the others are sent', () => sent() === 40);
});
