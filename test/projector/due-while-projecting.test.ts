import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig } from '../support/rig.js';
import { dueTests, projectAll, stepping, Worker } from './due-while-projecting.suite.js';
import { append, configured, emptyStore, employeeSet } from './projector.support.js';

dueTests(t, 'in memory', 300, () => Promise.resolve(new ModelReadModels()));
dueTests(t, 'embedded', 60, emptyStore);

t.test('six new ones beside 204 changed ones of 13,000, looked for between any two writes', async (t) => {
  const on = await openRig(t);
  const due = '2026-12-01T07:00:00Z';
  const numbers = Array.from({ length: 13_000 }, (_, at) => at + 1);
  await append(on, 'company-1', configured(1, 'one'), { companyId: 1 });
  // One whose invitation is due next year is known to the worker already.
  const later = { number: 1, id: 'E1', due: '2027-12-01T07:00:00Z' };
  const first = numbers.map((number) => (number === 1 ? later : { number, id: `E${number}` }));
  const [total, come] = [13_006, 6];
  await append(on, 'company-1', employeeSet({ added: first, total: 13_000, lastNumber: 13_000 }), {
    companyId: 1,
  });
  await projectAll(on, on.readModels, undefined);
  const changed = numbers
    .filter((number) => number % 64 === 0 || number > 12_999)
    .map((number) => ({ number, id: `E${number}`, name: 'Bo' }));
  const added = Array.from({ length: come }, (_, at) => ({ number: 13_001 + at, id: `N${at}`, due }));
  await append(on, 'company-1', employeeSet({ added, changed, total, lastNumber: total }), { companyId: 1 });
  t.equal(changed.length, 204);
  const worker = new Worker(on.readModels);
  const look = (): Promise<void> => worker.look(Date.parse(due));
  await projectAll(on, stepping(on.readModels, { before: look, draw: () => 0 }), undefined);
  await look();
  t.strictSame(
    [...worker.sent],
    added.map(({ number }) => [`1,${number}`, 1]),
  );
});
