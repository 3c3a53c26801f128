import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapters } from '@rollcall/adapters';
import { newId, systemClock } from '@rollcall/application';
import {
  authenticationsRefusedExample,
  personalDataReadExample,
  type DomainEventOf,
} from '@rollcall/contracts';
import tap from 'tap';
import { operationId } from '../projector/import-calls.support.js';
import { append, employeeSet, refused } from '../projector/projector.support.js';
import { objectOf, rollcallWithin } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

tap.test('personal values are shown with a reason, which is recorded; a copy is only read', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --name Seven');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const values = { Email: 'max@example.com', FirstName: 'Max', LastName: 'Doe' };
  const user = { number: 1, idDigest: 'ab'.repeat(16), digest: 'cd'.repeat(16), values };
  await append({ ...adapters, clock: systemClock }, 'company-7', managerImport([user]));
  await adapters.close();
  const shown = ['audit', 'state', '--company', '7', '--json', '--reveal', '--reason', 'case 12'];
  t.match((await rollcall('audit state --company 7')).out, /users +1 .*\{"locked":false\} \*\*\*/);
  t.match(await rollcall('audit state --company 7 --reveal'), { code: 2, err: /--reveal needs --reason/ });
  t.match(await rollcall(shown), { code: 0, err: '', out: /"personal":\{"Email":"max@example.com"/ });
  const { events } = objectOf(await rollcall('audit log --json --type PersonalDataRead'));
  t.match(
    events,
    exactly([{ stream: /^reads-7-\d{8}$/, reason: 'case 12', username: /^cli:/, userId: null }]),
  );
  await rollcall('audit diff --company 7 --from 1 --to 1 --reveal --reason both');
  const stores = await openAdapters(embeddedAdapters(dataDir));
  const looked = await stores.log.readLast((events as readonly { stream: string }[])[0]?.stream ?? '');
  await stores.close();
  t.match(Buffer.from(looked?.data ?? []).toString(), /"what":"audit diff".*"rows":2/, 'of both moments');

  const copy = join(dataDir, '..', 'copy-of-it');
  t.teardown(() => rm(copy, { recursive: true }));
  t.equal((await rollcall(`backup --to ${copy}`)).code, 0);
  const bytes = await readFile(join(copy, 'event-log', 'data.mdb'));
  const onCopy = await rollcallWithin(copy)(shown);
  t.match(onCopy, {
    code: 0,
    out: /max@example.com/,
    err: /opened read-only: it is a copy .*\nNothing was recorded of this read/,
  });
  const reads = objectOf(await rollcallWithin(copy)('audit log --json --type PersonalDataRead'));
  t.match(reads, { events: { length: 2 } });
  t.ok(bytes.equals(await readFile(join(copy, 'event-log', 'data.mdb'))), 'the copy is as it was');
});

tap.test('who looked, and whose token was refused', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --name Seven');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const call = { operationId: newId() };
  const read = { name: 'PersonalDataRead', data: personalDataReadExample } as const;
  await append({ ...adapters, clock: systemClock }, 'reads-7-20261121', read, call);
  const claims = { name: 'AuthenticationsRefused', data: authenticationsRefusedExample } as const;
  await append({ ...adapters, clock: systemClock }, 'refusals-20261121', claims);
  await adapters.close();
  const words = 'audit log --type PersonalDataRead,AuthenticationsRefused';
  t.match(objectOf(await rollcall(`${words} --json`)), {
    events: exactly([personalDataReadExample, authenticationsRefusedExample]),
  });
  const { out } = await rollcall(words);
  t.match(out, / reads \[{"what":"employees","calls":2,"rows":1200,"requestId":"nightly-4711"}\]\n/);
  t.match(out, / refused \[{"kid":"default","subject":"3","count":12}\] others 0\n/);
  t.match((await rollcall(`${words} --csv`)).out, /""reads"":\[{""what"":""employees""/);
  const explained = await rollcall(`audit explain --operation ${call.operationId}`);
  t.match(explained.out, /reads: \[{"what":"employees","calls":2,"rows":1200,/);
});

tap.test('the people who are shown are counted', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --name Seven');
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  t.teardown(() => adapters.close());
  const on = { ...adapters, clock: systemClock };
  const held = (number: number, left: number[]) =>
    employeeSet({ added: [{ number, id: 'E-1' }], left, total: 1, lastNumber: number });
  await append(on, 'company-7', [held(1, []), held(2, [1])]);
  const call = { operationId: newId() };
  const problems = [7, 8, 9].map(
    (at) => `[${at}] EmployeeID 'E-${at}': Email must be a valid e-mail address`,
  );
  await append(on, `operation-${call.operationId}`, refused(problems), call);
  const history = await rollcall('audit history --company 7 --employee E-1 --reveal --reason who --json');
  t.match(objectOf(history), { rows: { length: 3 } });
  const explained = await rollcall(`audit explain --operation ${call.operationId} --reveal --reason why`);
  t.match(explained, { code: 0, out: /'E-9'/ });
  const looked: unknown[] = [];
  for await (const { stream } of adapters.log.listStreams('reads-'))
    for await (const { data } of adapters.log.readStream(stream))
      looked.push(JSON.parse(Buffer.from(data).toString()));
  t.match(
    looked,
    exactly([
      { reads: [{ what: 'audit history', rows: 2 }] },
      { reads: [{ what: 'audit explain', rows: 3 }] },
    ]),
  );
});

const managerImport = (usersCreated: DomainEventOf<'ManagerRolesImported'>['data']['usersCreated']) => ({
  name: 'ManagerRolesImported' as const,
  data: {
    ...{ operationId, bodySha256: 'cd'.repeat(32), digestVersion: 1 },
    ...{ created: 0, disabled: 0, locked: 0, total: 0, lastUser: 1, lastDepartment: 0 },
    ...{ usersCreated, usersRenamed: [], usersLocked: [], usersUnlocked: [], departmentsCreated: [] },
    ...{ rolesEnabled: [], rolesChanged: [], rolesDisabled: [], hierarchy: [], parentsRemoved: [] },
  },
});
