import t from 'tap';
import { companyId, startTestApp } from '../support/test-app.js';
import { newSurvey, post, text, updateOf } from './surveys.support.js';
import { exactly } from '../support/exactly.js';

const start = '2026-05-01T02:00:00Z';
const end = '2026-06-01T02:00:00Z';

/** As clients of the first interface send it. */
const former = {
  Name: 'Pulse',
  CompanyId: companyId,
  StartDate: start,
  EndDate: end,
  State: 1,
  Questions: [
    { StepType: 1, Texts: text('Welcome') },
    { StepType: 99, Type: 99, Texts: text('Thanks') },
  ],
};
const errorsOf = (json: unknown): unknown => (json as { ValidationErrors: unknown }).ValidationErrors;

t.test('names of existing clients', async (t) => {
  const app = await startTestApp(t);

  t.test('are taken, and come back besides', async (t) => {
    const answer = await post(app, '/survey', former);
    t.equal(answer.status, 200, answer.text);
    await app.projected();
    const expected = { start, end, startDate: start, endDate: end };
    const { json } = await app.call('GET', `/v1.0/Survey/${answer.text}`);
    t.match(json, {
      ...expected,
      questions: exactly([
        { type: 1, stepType: 1 },
        { type: 99, stepType: 99 },
      ]),
    });
    t.match((await app.call('GET', '/v1.0/Survey')).json, exactly([expected]));

    const change = await updateOf(t, app, Number(answer.text), { ...former, Start: undefined, End: null });
    t.equal((await post(app, '/survey/Update', change)).status, 200);
  });

  t.test('are taken where both are given and the moment is the same', async (t) => {
    const sent = newSurvey({ StartDate: start.replace('Z', '.000Z'), Start: start });
    t.equal((await post(app, '/survey', sent)).status, 200);
  });

  t.test('are refused where both are given and differ', async (t) => {
    const answer = await post(app, '/survey', {
      ...newSurvey({ StartDate: '2026-05-02T02:00:00Z', EndDate: end }),
      Questions: [{ Type: 1, StepType: 3, Texts: text('Welcome') }, former.Questions[1]],
    });
    t.equal(answer.status, 400);
    t.same(errorsOf(answer.json), [
      'StartDate must equal Start, or be left out',
      'Questions[0].StepType must equal Type, or be left out',
    ]);
  });

  t.test('are named in what is wrong with them', async (t) => {
    const answer = await post(app, '/survey', {
      ...former,
      StartDate: '2026-05-01T02:00:00+00:00',
      Questions: [{ StepType: 7, Texts: text('Welcome') }, ...former.Questions],
    });
    t.equal(answer.status, 400);
    t.same(errorsOf(answer.json), [
      'StartDate must be in UTC, ending in Z: yyyy-MM-ddTHH:mm:ssZ',
      'Questions[0].StepType must be 1 (cover page), 2 (answer options), 3 (text answer), 4 (body question) or 99 (thank-you page)',
    ]);
  });
});
