import { liveAnswer, outage, partProblems, readyAnswer, type HealthProblem } from '@rollcall/adapters';
import { Type } from 'typebox';
import { errorResponses, jsonResponse, retryHeaders } from '../http/responses.js';
import type { RouteDependencies, Routes } from '../http/route-dependencies.js';

const Version = Type.String({ description: 'Of the service.' });

const healthErrors = errorResponses(400, 500);

const Live = Type.Object({ Status: Type.Literal('ok'), Version }, { title: 'Liveness' });

const Ready = Type.Object(
  {
    Status: Type.Enum(['ok', 'degraded', 'unavailable'], { type: 'string' }),
    Problems: Type.Array(Type.String(), { description: 'What is wrong, each part by name.' }),
    Version,
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
    200: jsonResponse('It serves; `degraded` names what it does not serve', Ready, readyAnswer([]).body),
    ...healthErrors,
    503: jsonResponse(
      'It does not',
      Ready,
      readyAnswer([outage('the event log cannot be read')]).body,
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
      response: { 200: jsonResponse('It does', Live, liveAnswer), ...healthErrors },
    },
    handler: () => Promise.resolve(liveAnswer),
  });
  app.route({
    ...common,
    method: 'GET',
    url: '/health/ready',
    schema: readySchema,
    handler: async (_request, reply) => {
      const { status, headers, body } = readyAnswer(await apiProblems(kit));
      return reply.code(status).headers(headers).send(body);
    },
  });
};

const apiProblems = async (kit: HealthParts): Promise<readonly HealthProblem[]> => [
  ...(await partProblems(kit)),
  ...keyProblems(kit),
  ...threadProblems(kit),
];

type HealthParts = Pick<
  RouteDependencies,
  'clock' | 'damage' | 'imports' | 'knowledge' | 'log' | 'publicKeys' | 'readModels' | 'writes'
>;

function keyProblems({ knowledge, publicKeys }: HealthParts): HealthProblem[] {
  const problems: HealthProblem[] = [];
  if (knowledge.current() === undefined) problems.push(outage('the knowledge of API users is too old'));
  if (publicKeys.current().size === 0) problems.push(outage('there is no key to check tokens with'));
  return problems;
}

const threadProblems = ({ imports }: HealthParts): HealthProblem[] =>
  imports.isReady() ? [] : [outage('no import thread answers')];
