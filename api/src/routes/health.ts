import { liveAnswer, outage, partProblems, readyAnswer, type HealthProblem } from '@rollcall/host';
import { SingleFlight } from '@rollcall/application';
import { Type } from 'typebox';
import { errorResponses, jsonResponse, retryHeaders } from '../http/responses.js';
import type { RouteDependencies, Routes } from '../route-dependencies.js';

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
  // No token is needed, so log and read models are asked at most once a second.
  const parts = new SingleFlight(() => partProblems(kit), { freshMs: 1_000, timer: kit.timer });
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
      const problems = [...(await parts.once()), ...keyProblems(kit), ...threadProblems(kit)];
      const { status, headers, body } = readyAnswer(problems);
      return reply.code(status).headers(headers).send(body);
    },
  });
};

function keyProblems({
  revocations,
  publicKeys,
}: Pick<RouteDependencies, 'revocations' | 'publicKeys'>): HealthProblem[] {
  const problems: HealthProblem[] = [];
  if (revocations.current() === undefined) problems.push(outage('the knowledge of API users is too old'));
  if (publicKeys.current().size === 0) problems.push(outage('there is no key to check tokens with'));
  return problems;
}

const threadProblems = ({ imports }: Pick<RouteDependencies, 'imports'>): HealthProblem[] =>
  imports.isReady() ? [] : [outage('no import thread answers')];
