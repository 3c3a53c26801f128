import { ConfigInvalid } from '@rollcall/adapters';
import { defaultQueueBodyBytes } from '@rollcall/domain';
import { Type, type Static } from 'typebox';
import { commonVariables } from './common-config.js';
import { oneOf, readEnvironment } from './environment.js';
import { invitationVariables, mailerProblems } from './invitation-config.js';
import { pageVariables } from './page-config.js';
import { webhookVariables } from './webhook-config.js';

const mebibyte = 1024 * 1024;

/** The variables of a process that runs the api (docs/configuration.md, "Variables"). */
export const serverVariables = {
  ...commonVariables,
  ...pageVariables,
  HOST: Type.String({ default: '127.0.0.1', minLength: 1 }),
  PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65_535 }),
  JWT_ISSUER: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_AUDIENCE: Type.String({ default: 'rollcall', minLength: 1 }),
  JWT_ALGORITHM: oneOf('EdDSA', 'ES256', 'RS256', 'PS256'),
  JWT_PUBLIC_KEYS: Type.Optional(Type.String({ minLength: 1 })),
  BODY_LIMIT: Type.Integer({ default: mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  EMPLOYEE_BODY_LIMIT: Type.Integer({ default: 256 * mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  MANAGER_BODY_LIMIT: Type.Integer({ default: 16 * mebibyte, minimum: 1, maximum: 1024 * mebibyte }),
  QUEUE_BODY_BYTES: Type.Integer({ default: defaultQueueBodyBytes, minimum: 1, maximum: 1024 * mebibyte }),
  BODY_BUDGET: Type.Integer({ default: 512 * mebibyte, minimum: 1 }),
  RATE_LIMIT_PER_MINUTE: Type.Integer({ default: 6000, minimum: 0 }),
};

const Server = Type.Object(serverVariables);
type ServerVariables = Static<typeof Server>;

/** `ConfigInvalid` names each bad variable. */
export function readServerVariables(env: NodeJS.ProcessEnv): ServerVariables {
  const vars = readEnvironment(Server, env);
  requireRoomForOne(vars);
  return vars;
}

/** `ConfigInvalid` where one API user's half of the body budget could not hold the largest body. */
function requireRoomForOne(vars: ServerVariables): void {
  const largest = Math.max(vars.BODY_LIMIT, vars.EMPLOYEE_BODY_LIMIT, vars.MANAGER_BODY_LIMIT);
  if (vars.BODY_BUDGET >= 2 * largest) return;
  throw new ConfigInvalid(
    `BODY_BUDGET must be at least ${2 * largest}, twice the largest of BODY_LIMIT, EMPLOYEE_BODY_LIMIT and MANAGER_BODY_LIMIT`,
  );
}

export const workerVariables = {
  ...commonVariables,
  ...invitationVariables,
  ANCHOR_FILE: Type.Optional(Type.String({ minLength: 1 })),
  ANCHOR_URL: Type.Optional(Type.String({ pattern: '^https?://[^/]' })),
  ANCHOR_URL_FILE: Type.Optional(Type.String()),
  ...webhookVariables,
  OPERATIONS_URL: pageVariables.OPERATIONS_URL,
  WORKER_CONCURRENCY: Type.Integer({ default: 4, minimum: 1, maximum: 64 }),
};

const Worker = Type.Object(workerVariables);

/** `ConfigInvalid` names each bad variable. */
export const readWorkerVariables = (env: NodeJS.ProcessEnv): Static<typeof Worker> =>
  readEnvironment(Worker, env, mailerProblems);
