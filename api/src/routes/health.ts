import { partProblems } from '@rollcall/adapters';
import { Type } from 'typebox';
import { jsonResponse } from '../http/responses.js';
import type { RouteDependencies, Routes } from '../http/route-dependencies.js';

const Health = Type.Object({
  Status: Type.Union([Type.Literal('ok'), Type.Literal('not ready')]),
  Problems: Type.Array(Type.String(), { description: 'The parts that are missing.' }),
});

export const healthRoutes: Routes = (app, kit) => {
  const common = { config: { rateLimit: false as const } };
  const ok = jsonResponse('In order', Health, { Status: 'ok', Problems: [] });
  app.route({
    ...common,
    method: 'GET',
    url: '/health/live',
    schema: { tags: ['Health'], summary: 'Whether the process answers', security: [], response: { 200: ok } },
    handler: () => Promise.resolve({ Status: 'ok', Problems: [] }),
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
        200: ok,
        503: jsonResponse('Not ready', Health, {
          Status: 'not ready',
          Problems: ['the event log cannot be read'],
        }),
      },
    },
    handler: async (_request, reply) => {
      const problems = [...(await partProblems(kit)), ...keyProblems(kit), ...threadProblems(kit)];
      if (problems.length === 0) return { Status: 'ok', Problems: problems };
      return reply.code(503).header('retry-after', '5').send({ Status: 'not ready', Problems: problems });
    },
  });
};

function keyProblems({ knowledge, publicKeys }: RouteDependencies): string[] {
  const problems: string[] = [];
  if (knowledge.current() === undefined) problems.push('the knowledge of API users is too old');
  if (publicKeys.size === 0) problems.push('there is no key to check tokens with');
  return problems;
}

const threadProblems = ({ imports }: RouteDependencies): string[] =>
  imports.isReady() ? [] : ['no import thread answers'];
