import { ConfigInvalid } from '@rollcall/adapters';
import {
  commonVariables,
  invitationsConfig,
  invitationVariables,
  mailerProblems,
  readEnvironment,
} from '@rollcall/host';
import { Type } from 'typebox';
import { readConfig, type CliConfig } from '../config.js';
import { green, red, type Check } from './check.js';

type Mailer = ReturnType<typeof invitationsConfig>['mailer'];

export interface Configured {
  readonly check: Check;
  /** Undefined where it is unusable, and nothing else can be checked. */
  readonly config: (CliConfig & { readonly mailer: Mailer }) | undefined;
}

const Processes = Type.Object({ ...commonVariables, ...invitationVariables });

export function checkConfig(env: NodeJS.ProcessEnv): Configured {
  try {
    const config = {
      ...readConfig(env),
      mailer: invitationsConfig(readEnvironment(Processes, env, mailerProblems)).mailer,
    };
    const { eventLog, readModels, queue } = config.adapters;
    const text = `event log ${eventLog.kind}, read models ${readModels.kind}, queue ${queue.kind}, mail ${config.mailer.kind}`;
    return { check: green('configuration', text), config };
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    const advice = 'Mend the variable that is named: docs/configuration.md.';
    return { check: red('configuration', error.message, advice), config: undefined };
  }
}
