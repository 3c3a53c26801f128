import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ApiCall } from '@rollcall/contracts';
import tap from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { startChildParts } from '../servers/child-parts.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { Client } from '../support/client.js';

const companies = [1, 2, 3, 4, 5, 6];
const imports = 8;
const everybody = generatedEmployees(60);

/** The list of a company's nth import: it moves on by 5 of 20. */
const listOf = (n: number): { EmployeeID: string }[] => everybody.slice(n * 5, n * 5 + 20);

tap.test('2 apis, 2 projectors and 3 workers on one folder', { timeout: 300_000 }, async (t) => {
  const dataDir = join(t.testdir(), randomUUID());
  const tokens = await prepareDataDir(dataDir, companies);
  const parts = await startChildParts({ dataDir, apis: 2, projectors: 2, workers: 3 });
  t.teardown(() => parts.kill());
  const clients = parts.apis.map(({ url }) => url);
  const clientOf = (n: number, company: number): Client =>
    new Client(clients[n % clients.length] ?? '', tokens[companies.indexOf(company)] ?? '');

  /** One after the other, to one api after the other. */
  const queueAll = async (company: number): Promise<string[]> => {
    const locations: string[] = [];
    for (let n = 0; n < imports; n++) {
      const path = `/v1.0/Company/${company}/Employee`;
      locations.push(await clientOf(n, company).queue(path, listOf(n)));
    }
    return locations;
  };
  const queueing = companies.map(queueAll);
  await queueing[0];
  const [worker] = parts.workers;
  t.equal(await worker?.stop(), 0, 'a worker is stopped in the middle');
  const [projector] = parts.projectors;
  t.equal(await projector?.stop(), 0, 'and a projector');
  const locations = await Promise.all(queueing);

  for (const [index, company] of companies.entries()) {
    const client = clientOf(1, company);
    const rows: ApiCall[] = [];
    for (const location of locations[index] ?? []) rows.push(await client.untilEnded(location));
    t.same(
      rows.map(({ HttpStatusCode, Inserted, Removed }) => [HttpStatusCode, Inserted, Removed]),
      rows.map((_, n) => (n === 0 ? [200, 20, 0] : [200, 5, 5])),
      `the imports of company ${company} took effect in their order`,
    );
    const present = await client.get<{ EmployeeID: string }[]>(`/v1.0/Company/${company}/Employee`);
    t.same(
      present.map(({ EmployeeID }) => EmployeeID).sort(),
      listOf(imports - 1)
        .map(({ EmployeeID }) => EmployeeID)
        .sort(),
    );
  }
  t.same(await parts.stop(), [0, 0, 0, 0, 0, 0, 0], 'all end gracefully');
});
