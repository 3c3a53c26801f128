import { ConfigInvalid } from '@rollcall/adapters';
import { commonConfig, invitationsConfig, readServerVariables, readWorkerVariables } from '@rollcall/host';
import { readConfig } from '../config.js';
import { green, red, type Check } from './check.js';

export interface Configured {
  readonly check: Check;
  /** Undefined where it is unusable, and nothing else can be checked. */
  readonly config: ReturnType<typeof configOf> | undefined;
}

function configOf(env: NodeJS.ProcessEnv) {
  const server = readServerVariables(env);
  commonConfig(server);
  const { mailer } = invitationsConfig(readWorkerVariables(env));
  return { ...readConfig(env), mailer, jwtAlgorithm: server.JWT_ALGORITHM };
}

export function checkConfig(env: NodeJS.ProcessEnv): Configured {
  try {
    const config = configOf(env);
    const { eventLog, readModels, queue } = config.adapters;
    const text = `event log ${eventLog.kind}, read models ${readModels.kind}, queue ${queue.kind}, mail ${config.mailer.kind}`;
    return { check: green('configuration', text), config };
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    const advice = 'Mend the variable that is named: docs/configuration.md.';
    return { check: red('configuration', error.message, advice), config: undefined };
  }
}
