import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmployeesBody } from '@rollcall/contracts';
import { createVerifier } from 'fast-jwt';
import Fastify, { type FastifyRequest } from 'fastify';
import { sqlite } from './sqlite.js';

/**
 * What a plain service does with the same lists: a token for each company, every field checked by Ajv and what has to be
 * unique, rows in SQLite, one synced transaction a list, readable at the answer. No history, no invitations, no queue.
 */
const dataDir = process.env['DATA_DIR'] ?? '';
if (sqlite === undefined) throw new Error('There is no SQLite');
const database = new sqlite(join(dataDir, 'peer.db'));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec(
  'CREATE TABLE employee (company INTEGER, id TEXT, row TEXT, PRIMARY KEY (company, id)) WITHOUT ROWID',
);
const all = database.prepare('SELECT id, row FROM employee WHERE company = ? ORDER BY id');
const put = database.prepare('INSERT OR REPLACE INTO employee VALUES (?, ?, ?)');
const remove = database.prepare('DELETE FROM employee WHERE company = ? AND id = ?');

const keys = join(dataDir, 'keys', 'public');
const [keyFile = ''] = readdirSync(keys);
const verify = createVerifier({
  key: readFileSync(join(keys, keyFile), 'utf8'),
  algorithms: ['EdDSA'],
  allowedIss: 'rollcall',
  allowedAud: 'rollcall',
  cache: 10_000,
}) as (token: string) => { readonly company: number };

type Employee = Readonly<Record<string, unknown>> & { readonly EmployeeID: string };
type Call = FastifyRequest<{ Params: { companyId: string }; Body: readonly Employee[] }>;

const app = Fastify({
  bodyLimit: 512 * 1024 * 1024,
  ajv: { customOptions: { coerceTypes: false, strict: false } },
});
app.addHook('onRequest', async (request) => {
  if (request.url === '/health/ready') return;
  const { company } = verify((request.headers.authorization ?? '').slice('Bearer '.length));
  if (!request.url.startsWith(`/v1.0/Company/${company}/`)) throw new Error('another company');
});
app.get('/health/ready', () => ({ status: 'ready' }));

const unique = ['EmployeeID', 'Email', 'Phonenumber'] as const;

function checkUnique(employees: readonly Employee[]): void {
  for (const name of unique) {
    const all = employees.flatMap(({ [name]: value }) =>
      typeof value === 'string' ? value.toLowerCase() : [],
    );
    if (new Set(all).size < all.length) throw new Error(`${name} is not unique`);
  }
}

function replace(company: number, employees: readonly Employee[]) {
  const left = new Map(all.all(company).map(({ id = '', row = '' }) => [id, row]));
  let changed = 0;
  for (const employee of employees) {
    const row = JSON.stringify(employee);
    if (left.get(employee.EmployeeID) !== row) {
      put.run(company, employee.EmployeeID, row);
      changed += 1;
    }
    left.delete(employee.EmployeeID);
  }
  for (const id of left.keys()) remove.run(company, id);
  return { changed, removed: left.size };
}

const path = '/v1.0/Company/:companyId/Employee';
app.put(path, { schema: { body: EmployeesBody } }, ({ params, body }: Call) => {
  checkUnique(body);
  database.exec('BEGIN IMMEDIATE');
  const outcome = replace(Number(params.companyId), body);
  database.exec('COMMIT');
  return outcome;
});
app.get(path, ({ params }: Call, reply) => {
  const rows = all.all(Number(params.companyId)).map(({ row = '' }) => row);
  return reply.type('application/json').send(`[${rows.join(',')}]`);
});

await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${app.listeningOrigin}\n`);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
