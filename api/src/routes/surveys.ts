import {
  type CallContext,
  InvalidRequestBody,
  SurveyDraft,
  surveyDraftExample,
  NoQuery,
  Survey,
  surveyErrorsExample,
  surveyExample,
  SurveyId,
  surveyIdExample,
  SurveyIds,
  surveyIdsExample,
  SurveyList,
  surveyListItemExample,
  SurveyPath,
  SurveysQuery,
  SurveyStatePath,
  SurveyUpdate,
  surveyUpdateExample,
} from '@rollcall/contracts';
import { surveys } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';
import { callContext, callerOf, callOf, keyedContext, keyHashOf, replayedHeader } from '../http/call.js';
import { HttpError, invalidRequest, notFound, unauthorized } from '../http/errors.js';
import type { ApiApp } from '../http/fastify-types.js';
import { KeyedHeaders, replayedHeaders } from '../http/header-schemas.js';
import { described, emptyResponse, errorResponses, jsonResponse, readErrors } from '../http/responses.js';
import type { Guards } from '../http/authentication.js';
import type { RouteDependencies, Routes } from '../route-dependencies.js';
import {
  KeyedSurveys,
  type KeyedSurveyResult,
  SurveyCommands,
  type SurveyResult,
  within,
} from '@rollcall/application';
import { SurveyReader } from '../surveys/survey-reader.js';

const tags = ['Surveys'];
const json = 'application/json; charset=utf-8';

const writeErrors = {
  ...errorResponses(401, 408, 413, 415, 429, 500, 503),
  400: jsonResponse('All problems at once', InvalidRequestBody, surveyErrorsExample),
};
const keyedErrors = errorResponses(409, 422);

/** Survey calls (interface.md, "Create a survey", "Update a survey"; docs/contract, "Surveys"). */
export const surveyRoutes: Routes = (app, kit) => {
  const commands = new SurveyCommands(kit);
  const reader = new SurveyReader(kit);
  const keyed = new KeyedSurveys(kit, commands);
  createRoute(app, kit, keyed);
  updateRoute(app, kit, keyed);
  changeStateRoute(app, kit, commands);
  listRoute(app, kit.guards, reader);
  getRoute(app, kit.guards, reader);
};

function createRoute(app: ApiApp, kit: RouteDependencies, keyed: KeyedSurveys): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey',
    onRequest: kit.guards.anyUser,
    schema: {
      tags,
      operationId: 'createSurvey',
      summary: 'Create a survey',
      description: 'Answers with the id of the new survey, a bare integer.',
      querystring: NoQuery,
      headers: KeyedHeaders,
      body: described(SurveyDraft, surveyDraftExample),
      response: {
        200: jsonResponse('The id of the new survey', SurveyId, surveyIdExample, replayedHeaders),
        ...writeErrors,
        ...keyedErrors,
      },
    },
    handler: async (request, reply) => {
      const { surveyIds, headers } = await written(kit, request, keyed, 'create');
      return reply.headers(headers).type(json).send(JSON.stringify(surveyIds[0]));
    },
  });
}

function updateRoute(app: ApiApp, kit: RouteDependencies, keyed: KeyedSurveys): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey/Update',
    onRequest: kit.guards.anyUser,
    schema: {
      tags,
      operationId: 'updateSurvey',
      summary: 'Update a survey',
      description:
        'Questions with a Key are updated, those without are inserted, those that are absent stay; `Deleted: true` removes one. Everything else is replaced by what is sent.',
      querystring: NoQuery,
      headers: KeyedHeaders,
      body: described(SurveyUpdate, surveyUpdateExample),
      response: {
        200: emptyResponse(replayedHeaders),
        ...writeErrors,
        ...errorResponses(404),
        ...keyedErrors,
      },
    },
    handler: async (request, reply) => {
      const { headers } = await written(kit, request, keyed, 'update');
      return reply.headers(headers).send();
    },
  });
}

function changeStateRoute(app: ApiApp, kit: RouteDependencies, commands: SurveyCommands): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey/ChangeState/:state',
    onRequest: kit.guards.anyUser,
    schema: {
      tags,
      operationId: 'changeSurveyState',
      summary: 'Move surveys to a state',
      description: 'All of them, or none where one is unknown. A repeat after an outage finishes the rest.',
      params: SurveyStatePath,
      querystring: NoQuery,
      body: described(SurveyIds, surveyIdsExample),
      response: { 200: emptyResponse(), ...writeErrors, ...errorResponses(404) },
    },
    handler: async (request, reply) => {
      const { state, surveyIds, problems } = surveys.readStateChange(request.params.state, request.body);
      if (problems.length > 0) throw invalidRequest(problems);
      const { companyId } = callerOf(request);
      const command = { name: 'ChangeSurveyState', companyId, state } as const;
      const context = callContext(request);
      await doneInTime(kit, context, () => commands.changeState(context, surveyIds, command));
      return reply.send();
    },
  });
}

function listRoute(app: ApiApp, guards: Guards, reader: SurveyReader): void {
  app.route({
    method: 'GET',
    url: '/v1.0/Survey',
    onRequest: guards.anyUser,
    schema: {
      tags,
      operationId: 'listSurveys',
      summary: 'The surveys of the company',
      description: 'In the order of their ids, without their questions.',
      querystring: SurveysQuery,
      response: { 200: jsonResponse('The surveys', SurveyList, [surveyListItemExample]), ...readErrors },
    },
    handler: async (request, reply) => {
      const { companyId } = callerOf(request);
      if ((request.query.companyId ?? companyId) !== companyId)
        throw unauthorized('the query is of another company');
      return reply.type(json).send(JSON.stringify(await reader.list(companyId, request.query.State)));
    },
  });
}

function getRoute(app: ApiApp, guards: Guards, reader: SurveyReader): void {
  app.route({
    method: 'GET',
    url: '/v1.0/Survey/:id',
    onRequest: guards.anyUser,
    schema: {
      tags,
      operationId: 'getSurvey',
      summary: 'A survey with its questions',
      description: 'A survey of another company is an unknown one.',
      params: SurveyPath,
      querystring: NoQuery,
      response: {
        200: jsonResponse('The survey', Survey, surveyExample),
        ...readErrors,
        ...errorResponses(404),
      },
    },
    handler: async (request, reply) => {
      const survey = await reader.get(callerOf(request).companyId, Number(request.params.id));
      if (!survey) throw unknownSurveys([]);
      return reply.type(json).send(JSON.stringify(survey));
    },
  });
}

const unknownSurveys = (surveyIds: readonly number[]): HttpError => {
  const named = surveyIds.slice(0, 20).join(', ');
  const which =
    surveyIds.length === 0 ? 'This survey' : `Survey ${named}${surveyIds.length > 20 ? ', ...' : ''}`;
  return notFound(`${which} is unknown in your company. GET /v1.0/Survey lists those that are known.`);
};

/** As an Idempotency-Key's hash holds them. */
const methods = { create: 'POST /v1.0/Survey', update: 'POST /v1.0/Survey/Update' };

function written(
  kit: RouteDependencies,
  request: FastifyRequest,
  keyed: KeyedSurveys,
  way: keyof typeof methods,
) {
  const reading = surveys.readSurvey(request.body, way);
  const { companyId } = callerOf(request);
  // Before the problems of the body.
  if (![null, companyId].includes(reading.sent.companyId))
    throw unauthorized('the body is of another company');
  const { bodySha256 = '' } = callOf(request);
  const context = keyedContext(request, { keyHash: keyHashOf(request, methods[way]), bodySha256 });
  return doneInTime(kit, context, () => keyed[way](context, { companyId, reading }));
}

const tooLate = (): Error => new HttpError('unavailable', { reason: 'the call was not decided in time' });

/** A command that outlasts its answer goes on, and keeps its key in use. */
async function doneInTime(
  { config, runningKeys }: RouteDependencies,
  context: CallContext,
  run: () => Promise<KeyedSurveyResult | SurveyResult>,
) {
  const deciding = runningKeys.alone(context.idempotency?.keyHash, run);
  const result = await within(deciding, config.timeouts.answer, tooLate);
  if (result.kind !== 'done') throw refusalOf(result);
  const headers = 'replayed' in result && result.replayed ? replayedHeader : {};
  return { surveyIds: result.surveyIds, headers };
}

function refusalOf(result: Exclude<KeyedSurveyResult, { kind: 'done' }>): HttpError {
  switch (result.kind) {
    case 'invalid':
      return invalidRequest(result.problems, 'The survey is not valid.');
    case 'unknown':
      return unknownSurveys(result.surveyIds);
    case 'key-reused':
      return new HttpError('unprocessable');
    default:
      return result satisfies never;
  }
}
