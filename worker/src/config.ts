import {
  commonConfig,
  commonVariables,
  invitationsConfig,
  invitationVariables,
  readEnvironment,
  type CommonConfig,
  type InvitationsConfig,
} from '@rollcall/host';
import { Type } from 'typebox';

export const workerVariables = {
  ...commonVariables,
  ...invitationVariables,
  WORKER_CONCURRENCY: Type.Integer({ default: 4, minimum: 1, maximum: 64 }),
};

const Environment = Type.Object(workerVariables);

export interface WorkerConfig extends CommonConfig {
  /** How many companies' imports run at once. */
  readonly concurrency: number;
  readonly invitations: InvitationsConfig;
}

export function readWorkerConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const vars = readEnvironment(Environment, env);
  return {
    ...commonConfig(vars),
    concurrency: vars.WORKER_CONCURRENCY,
    invitations: invitationsConfig(vars),
  };
}
