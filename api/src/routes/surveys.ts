import {
  InvalidRequestBody,
  NewSurvey,
  newSurveyExample,
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
import { Type, type TSchema } from 'typebox';
import { callContext, callerOf } from '../http/call.js';
import { invalidRequest, notFound, unauthorized } from '../http/errors.js';
import type { ApiApp } from '../http/fastify-types.js';
import { errorResponses, jsonResponse, readErrors } from '../http/responses.js';
import type { Guards } from '../http/guards.js';
import type { Routes } from '../http/route-kit.js';
import { SurveyCommands, type SurveyResult } from '../surveys/survey-commands.js';
import { SurveyReader } from '../surveys/survey-reader.js';

const tags = ['Surveys'];
const json = 'application/json; charset=utf-8';

/** Documented with its example; the domain reads and checks it. */
const described = (schema: TSchema, example: unknown) =>
  Type.Unsafe<unknown>({ ...schema, examples: [example] });

const writeErrors = {
  ...errorResponses(401, 408, 413, 415, 429, 500, 503),
  400: jsonResponse('All problems at once', InvalidRequestBody, surveyErrorsExample),
};
const emptyAnswer = Type.Null({ description: 'Done; the body is empty' });

/** Survey calls (interface.md, "Create a survey", "Update a survey"; docs/contract, "Surveys"). */
export const surveyRoutes: Routes = (app, kit) => {
  const commands = new SurveyCommands(kit);
  const reader = new SurveyReader(kit);
  createRoute(app, kit.guards, commands);
  updateRoute(app, kit.guards, commands);
  changeStateRoute(app, kit.guards, commands);
  listRoute(app, kit.guards, reader);
  getRoute(app, kit.guards, reader);
};

function createRoute(app: ApiApp, guards: Guards, commands: SurveyCommands): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey',
    onRequest: guards.anyUser,
    schema: {
      tags,
      summary: 'Create a survey',
      querystring: NoQuery,
      body: described(NewSurvey, newSurveyExample),
      response: { 200: jsonResponse('The id of the new survey', SurveyId, surveyIdExample), ...writeErrors },
    },
    handler: async (request, reply) => {
      const reading = surveys.readSurvey(request.body, 'create');
      refuseForeign(request, reading);
      const { companyId } = callerOf(request);
      const result = await commands.create(callContext(request), companyId, reading);
      return reply.type(json).send(JSON.stringify(doneOrThrow(result)[0]));
    },
  });
}

function updateRoute(app: ApiApp, guards: Guards, commands: SurveyCommands): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey/Update',
    onRequest: guards.anyUser,
    schema: {
      tags,
      summary: 'Update a survey',
      querystring: NoQuery,
      body: described(SurveyUpdate, surveyUpdateExample),
      response: { 200: emptyAnswer, ...writeErrors, ...errorResponses(404) },
    },
    handler: async (request, reply) => {
      const reading = surveys.readSurvey(request.body, 'update');
      refuseForeign(request, reading);
      const { companyId } = callerOf(request);
      doneOrThrow(await commands.update(callContext(request), companyId, reading));
      return reply.send();
    },
  });
}

function changeStateRoute(app: ApiApp, guards: Guards, commands: SurveyCommands): void {
  app.route({
    method: 'POST',
    url: '/v1.0/Survey/ChangeState/:state',
    onRequest: guards.anyUser,
    schema: {
      tags,
      summary: 'Move surveys to a state: all of them, or none where one is unknown',
      params: SurveyStatePath,
      querystring: NoQuery,
      body: described(SurveyIds, surveyIdsExample),
      response: { 200: emptyAnswer, ...writeErrors, ...errorResponses(404) },
    },
    handler: async (request, reply) => {
      const { state, surveyIds, problems } = surveys.readStateChange(request.params.state, request.body);
      if (problems.length > 0) throw invalidRequest(problems);
      const { companyId } = callerOf(request);
      const command = { name: 'ChangeSurveyState', companyId, state } as const;
      doneOrThrow(await commands.changeState(callContext(request), surveyIds, command));
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
      summary: 'The surveys of the company, in the order of their ids',
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
      summary: 'A survey with its questions',
      params: SurveyPath,
      querystring: NoQuery,
      response: {
        200: jsonResponse('The survey', Survey, surveyExample),
        ...readErrors,
        ...errorResponses(404),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const surveyId = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
      const survey = surveys.isPositiveId(surveyId)
        ? await reader.get(callerOf(request).companyId, surveyId)
        : undefined;
      if (!survey) throw unknownSurveys([]);
      return reply.type(json).send(survey);
    },
  });
}

/** Before anything else about the body: a company that is one, and is not the caller's, is a 401. */
function refuseForeign(request: FastifyRequest, { sent }: surveys.SurveyReading): void {
  if (sent.companyId !== null && sent.companyId !== callerOf(request).companyId)
    throw unauthorized('the body is of another company');
}

const unknownSurveys = (surveyIds: readonly number[]): Error => {
  const named = surveyIds.slice(0, 20).join(', ');
  const which =
    surveyIds.length === 0 ? 'This survey' : `Survey ${named}${surveyIds.length > 20 ? ', ...' : ''}`;
  return notFound(`${which} is unknown in your company. GET /v1.0/Survey lists those that are known.`);
};

function doneOrThrow(result: SurveyResult): readonly number[] {
  switch (result.kind) {
    case 'done':
      return result.surveyIds;
    case 'invalid':
      throw invalidRequest(result.problems, 'The survey is not valid.');
    case 'unknown':
      throw unknownSurveys(result.surveyIds);
    default:
      return result satisfies never;
  }
}
