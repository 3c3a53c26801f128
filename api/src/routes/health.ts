import { liveAnswer, outage, readyAnswer } from '@rollcall/host';
import { Type } from 'typebox';
import { errorResponses, jsonResponse, retryHeaders } from '../http/responses.js';
import type { Routes } from '../route-dependencies.js';

const build = {
  Version: Type.String({ description: 'Of the service.' }),
  Commit: Type.Union([Type.String(), Type.Null()], {
    description: 'That the service was built from; null where the build did not know it.',
  }),
};
const example = { Commit: '8f3c2d1a9b04' };

const healthErrors = errorResponses(400, 500);

const Live = Type.Object({ Status: Type.Literal('ok'), ...build }, { title: 'Liveness' });

const Ready = Type.Object(
  {
    Status: Type.Enum(['ok', 'degraded', 'unavailable'], { type: 'string' }),
    Problems: Type.Array(Type.String(), { description: 'What is wrong, each part by name.' }),
    ...build,
  },
  { title: 'Readiness' },
);

const readySchema = {
  tags: ['Health'],
  operationId: 'getReadiness',
  summary: 'Whether the process can do its work',
  description: 'Where it cannot, or only in part, `Problems` names what is wrong.',
  security: [],
  response: {
    200: jsonResponse('It serves; `degraded` names what it does not serve', Ready, {
      ...readyAnswer([]).body,
      ...example,
    }),
    ...healthErrors,
    503: jsonResponse(
      'It does not',
      Ready,
      { ...readyAnswer([outage('the event log cannot be read')]).body, ...example },
      retryHeaders,
    ),
  },
};

export const healthRoutes: Routes = (app, kit) => {
  const common = { config: { rateLimit: false as const } };
  app.route({
    ...common,
    method: 'GET',
    url: '/health/live',
    schema: {
      tags: ['Health'],
      operationId: 'getLiveness',
      summary: 'Whether the process answers',
      description: 'It does, or nothing comes.',
      security: [],
      response: { 200: jsonResponse('It does', Live, { ...liveAnswer, ...example }), ...healthErrors },
    },
    handler: () => Promise.resolve(liveAnswer),
  });
  app.route({
    ...common,
    method: 'GET',
    url: '/health/ready',
    schema: readySchema,
    handler: async (_request, reply) => {
      const { status, headers, body } = readyAnswer(await kit.readiness());
      return reply.code(status).headers(headers).send(body);
    },
  });
};
