import type { Adapters } from '@rollcall/adapters';
import type { ReadModels } from '@rollcall/application';
import { projections, runProjector, type AnyProjection } from '@rollcall/projector';
import t, { type Test } from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { companyId, otherCompanyId, startTestApp, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';

const path = (company: number): string => `/v1.0/Company/${company}/Employee`;
const tooLong = 600_000;
const longBytes = 1_000_000;

/** Long values, so that few employees come to an event that is not waited for. */
const Dimensions = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`${index}`.padStart(120, 'n'), 'v'.repeat(50)]),
);
const many = 1_500;
const listOf = (count: number) =>
  generatedEmployees(count).map((employee) => (count < many ? employee : { ...employee, Dimensions }));

/** Whoever waits in vain waits for longer than a test may take. */
const patient = ({ log, readModels }: Adapters): Pick<Adapters, 'log' | 'readModels'> => {
  const reached: ReadModels['reached'] = (stream, revision, timeoutMs) =>
    readModels.reached(stream, revision, timeoutMs > 0 ? tooLong : 0);
  return { log, readModels: withMembers(readModels, { reached }) };
};

/** A projector that shows nothing of a long list until the gate is opened. */
function projectGated(t: Test, { store: { adapters } }: TestApp): () => void {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const held: AnyProjection = {
    collections: [],
    event: 'EmployeeSetReplaced',
    reads: () => [],
    project: ({ size }) => (size > longBytes ? gate : Promise.resolve()),
  };
  const end = new AbortController();
  const { log, readModels } = adapters;
  const run = { log, readModels, projections: [held, ...projections] };
  const running = runProjector({ ...run, signal: end.signal });
  t.teardown(() => {
    open();
    end.abort();
    return running;
  });
  return open;
}

t.test('a call waits for what it wrote, not for a long projection before it', async (t) => {
  const app = await startTestApp(t, {
    shape: 'one',
    projector: false,
    wrap: patient,
    settings: { queueThreshold: null },
  });
  const open = projectGated(t, app);
  const token = app.token({ claims: { sub: '3', company: otherCompanyId } });
  const put = async (company: number, count: number, own?: string): Promise<unknown> =>
    (await app.call('PUT', path(company), { body: listOf(count), ...(own && { token: own }) })).json;
  const shown = async (company: number, own?: string): Promise<number> =>
    ((await app.call('GET', path(company), { ...(own && { token: own }) })).json as unknown[]).length;

  t.match(await put(companyId, 3), { Inserted: 3 });
  t.equal(await shown(companyId), 3, 'a small list is there at the answer');
  t.match(await put(companyId, many), { Inserted: many - 3, Updated: 3 }, 'answered while it is projected');
  t.match(await put(companyId, many), { Inserted: 0, Updated: 0 }, 'and so is the next call');
  t.equal(await shown(companyId), 3);
  t.match(await put(otherCompanyId, 3, token), { Inserted: 3 });
  t.equal(await shown(otherCompanyId, token), 3, 'another company is not behind');
  open();
  await app.projected();
  t.match(await put(companyId, 2), { Removed: many - 2 });
  t.equal(await shown(companyId), 2);
});
