import { liveAnswer, outage, partProblems, readyAnswer, type HealthProblem } from '@rollcall/adapters';
import { Type } from 'typebox';
import { jsonResponse } from '../http/responses.js';
import type { RouteDependencies, Routes } from '../http/route-dependencies.js';

const Version = Type.String({ description: 'Of the service.' });

const Live = Type.Object({ Status: Type.Literal('ok'), Version });

const Ready = Type.Object({
  Status: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('unavailable')]),
  Problems: Type.Array(Type.String(), { description: 'What is wrong, each part by name.' }),
  Version,
});

export const healthRoutes: Routes = (app, kit) => {
  const common = { config: { rateLimit: false as const } };
  app.route({
    ...common,
    method: 'GET',
    url: '/health/live',
    schema: {
      tags: ['Health'],
      summary: 'Whether the process answers',
      security: [],
      response: { 200: jsonResponse('It does', Live, liveAnswer) },
    },
    handler: () => Promise.resolve(liveAnswer),
  });
  app.route({
    ...common,
    method: 'GET',
    url: '/health/ready',
    schema: {
      tags: ['Health'],
      summary: 'Whether the process can do its work',
      security: [],
      response: {
        200: jsonResponse('It serves; `degraded` names what it does not serve', Ready, readyAnswer([]).body),
        503: jsonResponse('It does not', Ready, readyAnswer([outage('the event log cannot be read')]).body),
      },
    },
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
  'clock' | 'imports' | 'knowledge' | 'log' | 'publicKeys' | 'readModels' | 'writes'
>;

function keyProblems({ knowledge, publicKeys }: HealthParts): HealthProblem[] {
  const problems: HealthProblem[] = [];
  if (knowledge.current() === undefined) problems.push(outage('the knowledge of API users is too old'));
  if (publicKeys.size === 0) problems.push(outage('there is no key to check tokens with'));
  return problems;
}

const threadProblems = ({ imports }: HealthParts): HealthProblem[] =>
  imports.isReady() ? [] : [outage('no import thread answers')];
