import { gzipSync } from 'node:zlib';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { companyId, startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { cover, create, newSurvey, post, thanks, updateOf } from './surveys.support.js';

const path = `/v1.0/Company/${companyId}/Employee`;
const person = (index: number, changes: object = {}) => ({
  EmployeeID: `P-${index}`,
  Firstname: 'Ada',
  Lastname: 'Holm',
  Email: `p${index}@example.com`,
  EmploymentStatus: 0,
  ...changes,
});
const put = (app: TestApp, employees: readonly object[], query = ''): Promise<Answer> =>
  app.call('PUT', path + query, {
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify(employees)),
  });

interface Row {
  readonly ValidationErrors: readonly string[];
}

/** The row of the last call. */
async function lastRow(app: TestApp): Promise<Row | undefined> {
  await app.projected();
  const answer = await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls?Top=1`);
  return (answer.json as Row[])[0];
}

t.test('what callers choose the length of is bounded in answers, log and read models', async (t) => {
  const app = await startTestApp(t);
  const errorsOf = (answer: Answer): string[] => {
    t.equal(answer.status, 400);
    return (answer.json as { ValidationErrors: string[] }).ValidationErrors;
  };

  t.test('a name of 2 MB is refused in one short message', async (t) => {
    const employee = person(1, { Dimensions: { ['n'.repeat(2_000_000)]: 'x' } });
    for (const each of [employee, { ...employee, Note: 'n'.repeat(1_100_000) }]) {
      const answer = await put(app, [each]);
      t.equal(errorsOf(answer).length, 1);
      t.ok(answer.text.length < 400, `${answer.text.length} bytes`);
      t.ok(JSON.stringify(await lastRow(app)).length < 1_000);
    }
    t.same((await app.call('GET', path)).json, []);
  });

  t.test('a thousand messages are answered, twenty are kept', async (t) => {
    const Dimensions = { ['😀'.repeat(1_000)]: 'x', ['y'.repeat(1_000)]: 1 };
    const answer = await put(
      app,
      Array.from({ length: 3_000 }, (_, index) => person(index, { Dimensions })),
    );
    const errors = errorsOf(answer);
    t.equal(errors.length, 1_001);
    t.equal(errors.at(-1), '... and 5000 more');
    t.ok(Buffer.byteLength(answer.text) < 300_000, `${answer.text.length} bytes`);
    const row = await lastRow(app);
    t.same(row?.ValidationErrors, [...errors.slice(0, 20), '... and 5980 more']);
    t.ok(Buffer.byteLength(JSON.stringify(row)) < 10_000);
  });

  t.test('a long message is cut in the row', async (t) => {
    const name = 'ManagerRoles';
    const answer = await app.call('PUT', `/v1.0/User/${companyId}/ManagerImport`, {
      body: {
        [name]: [{ DimensionName: 'x'.repeat(100_000) }],
        DepartmentHierarchy: { ['h'.repeat(9_000)]: 1 },
      },
    });
    t.equal(answer.status, 400);
    t.ok(answer.text.length < 1_000, `${answer.text.length} bytes`);
    for (const error of (await lastRow(app))?.ValidationErrors ?? []) t.ok(error.length <= 201);
  });

  t.test('a rehearsal shows a hundred ignored fields', async (t) => {
    const extras = Array.from({ length: 5_000 }, (_, index) => [`${'f'.repeat(100)}${index}`, 0] as const);
    const few = Array.from({ length: 300 }, (_, index) => [`f${index}`, 0] as const);
    const answer = await put(app, [person(1, Object.fromEntries([...extras, ...few]))], '?dryRun=true');
    t.equal(answer.status, 200);
    const { IgnoredFields } = answer.json as { IgnoredFields: Record<string, number> };
    t.equal(Object.keys(IgnoredFields).length, 101);
    t.match(IgnoredFields, { [`${'f'.repeat(40)}…`]: 5_000, f98: 1, '...': 201 });
  });
});

t.test('a survey is at most 1 MiB, as it is answered', async (t) => {
  const app = await startTestApp(t, { shape: 'one' });
  const long = (letter: string) => ({ Type: 3, Texts: { '1045': letter.repeat(4_000) } });
  const id = await create(t, app, { Questions: [cover, ...Array<object>(200).fill(long('a')), thanks] });
  const grown = await updateOf(t, app, id, {
    Questions: [cover, ...Array<object>(200).fill(long('b')), thanks],
  });
  const answer = await post(app, '/survey/Update', grown);
  t.equal(answer.status, 400);
  t.match(answer.json, {
    ValidationErrors: exactly([/^The survey must be at most 1048576 bytes, as it is answered/]),
  });

  const AnswerOptions = Array<object>(90).fill({ Texts: { '1045': '"'.repeat(2_000) } });
  const quoted = { Type: 2, Texts: { '1045': 'x' }, AnswerOptions };
  const refused = await post(app, '/survey', newSurvey({ Questions: [cover, quoted, quoted, thanks] }));
  t.equal(refused.status, 400, 'its configuration is escaped twice');
});
