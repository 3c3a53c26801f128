import { ConfigInvalid } from '@rollcall/adapters';
import { commonConfig, invitationsConfig, readServerVariables, readWorkerVariables } from '@rollcall/host';
import { readConfig, type CliConfig } from '../config.js';
import { green, red, type Check } from './check.js';

export interface Configured {
  readonly check: Check;
  /** Undefined where it is unusable, and nothing else can be checked. */
  readonly config: (CliConfig & Pick<ReturnType<typeof invitationsConfig>, 'mailer'>) | undefined;
}

export function checkConfig(env: NodeJS.ProcessEnv): Configured {
  try {
    commonConfig(readServerVariables(env));
    const config = { ...readConfig(env), mailer: invitationsConfig(readWorkerVariables(env)).mailer };
    const { eventLog, readModels, queue } = config.adapters;
    const text = `event log ${eventLog.kind}, read models ${readModels.kind}, queue ${queue.kind}, mail ${config.mailer.kind}`;
    return { check: green('configuration', text), config };
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    const advice = 'Mend the variable that is named: docs/configuration.md.';
    return { check: red('configuration', error.message, advice), config: undefined };
  }
}
