import { projections } from '@rollcall/projector';

import * as contracts from '@rollcall/contracts';
import { surveys } from '@rollcall/domain';

import tap from 'tap';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { exactly } from '../support/exactly.js';
import { startTestApp } from '../support/test-app.js';
import { create, foreignToken } from './surveys.support.js';
import { setAside } from '../support/set-aside.js';

tap.test('every example is what its schema says', async (t) => {
  const examples: [string, TSchema, unknown][] = [
    ['SurveyDraft', contracts.SurveyDraft, contracts.surveyDraftExample],
    ['SurveyUpdate', contracts.SurveyUpdate, contracts.surveyUpdateExample],
    ['SurveyId', contracts.SurveyId, contracts.surveyIdExample],
    ['SurveyIds', contracts.SurveyIds, contracts.surveyIdsExample],
    ['SurveyListItem', contracts.SurveyListItem, contracts.surveyListItemExample],
    ['Survey', contracts.Survey, contracts.surveyExample],
    ['InvalidRequestBody', contracts.InvalidRequestBody, contracts.surveyErrorsExample],
  ];
  for (const [name, schema, example] of examples) t.ok(Check(schema, example), name);
  for (const [name, example] of [
    ['SurveyIdsReserved', contracts.surveyIdsReservedExample],
    ['SurveyCreated', contracts.surveyCreatedExample],
    ['SurveyUpdated', contracts.surveyUpdatedExample],
    ['SurveyStateChanged', contracts.surveyStateChangedExample],
  ] as const)
    t.ok(contracts.checkEventData(name, example).ok, name);
});

tap.test('the domain takes the examples: the created survey, and the update of it', async (t) => {
  const created = surveys.decide(
    {
      name: 'CreateSurvey',
      companyId: 1,
      surveyId: 1,
      surveyDefinitionId: 2,
      reading: surveys.readSurvey(contracts.surveyDraftExample, 'create'),
    },
    surveys.initialState(),
  );
  const data = contracts.surveyCreatedExample;
  t.strictSame(created, { kind: 'events', events: [{ name: 'SurveyCreated', data }] });
  const reading = surveys.readSurvey(contracts.surveyUpdateExample, 'update');
  const state = surveys.evolve(surveys.initialState(), { name: 'SurveyCreated', data });
  const updated = surveys.decide({ name: 'UpdateSurvey', companyId: 1, reading }, state);
  t.match(updated, { kind: 'events', events: exactly([{ name: 'SurveyUpdated', data: { lastKey: 4 } }]) });
});

tap.test('a survey is shown as the reference shows it', (t) => {
  const projection = projections.find((one) => 'collection' in one && one.collection === 'surveys');
  const changes = projection && 'changes' in projection ? projection.changes : {};
  const data = contracts.surveyCreatedExample;
  const [change] = changes.SurveyCreated?.({ stream: 'survey-1', revision: 0, metadata, data }) ?? [];
  t.strictSame(change?.key, [1, 1]);
  const evolved = change?.evolve(undefined);
  const document: unknown =
    typeof evolved === 'object' ? JSON.parse(Buffer.from(evolved.value).toString()) : undefined;
  t.match(contracts.surveyExample, document);
  t.end();
});

const metadata: contracts.EventMetadata = {
  companyId: 1,
  operationId: '019aa2f0-5c00-7000-8000-000000000002',
  userId: 1,
  username: 'HR system',
  causationId: null,
  receivedAt: '2026-11-21T09:00:00.000Z',
  recordedAt: '2026-11-21T09:00:00.000Z',
  chain: '0'.repeat(64),
};

tap.test('where the projection of a survey has stopped, what would show it answers 503', async (t) => {
  const app = await startTestApp(t);
  const [id, other] = [await create(t, app), await create(t, app)];
  await app.projected();
  await setAside(app.adapters.readModels, { stream: `survey-${id}`, revision: 1, problem: 'a test' });
  const status = async (path: string, token = app.token()) =>
    (await app.call('GET', `/v1.0/Survey${path}`, { token })).status;
  t.equal(await status(`/${id}`), 503);
  t.equal(await status(''), 503);
  t.equal(await status(`/${other}`), 200);
  t.equal(await status('', foreignToken(app)), 200, 'other companies do not notice');
  t.equal(await status(`/${id}`, foreignToken(app)), 404);
});
