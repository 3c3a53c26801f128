import { readFile } from 'node:fs/promises';
import { surveyDraftExample, surveyUpdateExample } from '@rollcall/contracts';
import t, { type Test } from 'tap';
import { documentFile, Reference, type OpenApiDocument } from '../support/reference.js';
import { companyId, startTestApp } from '../support/test-app.js';

const reference = new Reference(JSON.parse(await readFile(documentFile, 'utf8')) as OpenApiDocument);
const paths = { SurveyDraft: '/v1.0/Survey', SurveyUpdate: '/v1.0/Survey/Update' };
/** Of no survey. */
const unknown = { Id: 999, SurveyDefinitionId: 999, CompanyId: companyId };
const Texts = { 1045: 'Text' };
const [cover, middle, thanks] = [1, 3, 99].map((Type) => ({ Type, Texts }));

t.test('what the reference says of a survey is what the service takes', async (t) => {
  const app = await startTestApp(t);

  /** The same answer from both. A survey that is not there is a 404 once its body is right. */
  const compare = async (t: Test, schema: keyof typeof paths, body: object, isRight: boolean) => {
    const path = paths[schema];
    const { status, text } = await app.call('POST', path, { body });
    t.equal(status !== 400, isRight, `${path} ${text}`);
    const problem = reference.problemAt(['components', 'schemas', schema], body);
    t.equal(problem === undefined, isRight, `${schema} ${problem}`);
  };

  t.test('one cover page and one thank-you page', async (t) => {
    const cases: readonly (readonly [unknown[], boolean])[] = [
      [[cover, thanks], true],
      [[cover, middle, thanks], true],
      [[cover, middle], false],
      [[middle, thanks], false],
      [[cover, cover, thanks], false],
      [[cover, thanks, thanks], false],
    ];
    for (const [Questions, isRight] of cases) {
      const draft = { ...surveyDraftExample, CompanyId: companyId, Questions };
      await compare(t, 'SurveyDraft', draft, isRight);
      const update = { ...surveyUpdateExample, ...unknown, Questions };
      await compare(t, 'SurveyUpdate', update, isRight);
    }
  });

  t.test('what is deleted needs its key, what stays its type and texts', async (t) => {
    const option = { Texts };
    const cases: [object, boolean][] = [
      [{ Key: 'k', Deleted: true }, true],
      [{ Deleted: true }, false],
      [{ Key: 'k', Type: 3 }, false],
      [{ Key: 'k', Texts }, false],
      [{ Key: 'k', Type: 3, Texts, Deleted: false }, true],
      [{ Key: 'k', Type: 2, Texts, AnswerOptions: [option, { LabelKey: 'l', Deleted: true }] }, true],
      [{ Key: 'k', Type: 2, Texts, AnswerOptions: [option, { Deleted: true }] }, false],
      [{ Key: 'k', Type: 2, Texts, AnswerOptions: [option, { LabelKey: 'l' }] }, false],
    ];
    for (const [question, isRight] of cases) {
      const Questions = [cover, question, thanks];
      const update = { ...surveyUpdateExample, ...unknown, Questions };
      await compare(t, 'SurveyUpdate', update, isRight);
    }
  });

  t.test('If-Match', async (t) => {
    const path = `/v1.0/Company/${companyId}/Employee`;
    const document = JSON.parse(await readFile(documentFile, 'utf8')) as OpenApiDocument;
    const parameters = document.paths['/v1.0/Company/{companyId}/Employee']?.['put']?.parameters ?? [];
    const at = parameters.findIndex(({ name }) => name === 'If-Match');
    const place = ['paths', '/v1.0/Company/{companyId}/Employee', 'put', 'parameters', String(at), 'schema'];
    for (const [tag, isRight] of [
      ['*', true],
      ['"5"', true],
      ['W/"5", "6"', true],
      ['5', false],
      ['"5" "6"', false],
      ["'5'", false],
    ] as const) {
      const { status } = await app.call('PUT', path, { body: [], headers: { 'if-match': tag } });
      t.equal(status !== 400, isRight, `the service: ${tag}`);
      t.equal(reference.problemAt(place, tag) === undefined, isRight, `the reference: ${tag}`);
    }
  });
});
