import {
  commonConfig,
  invitationsConfig,
  readWorkerVariables,
  webhookNetworks,
  type CommonConfig,
  type InvitationsConfig,
} from '@rollcall/host';
import type { AnchorsConfig } from './hourly-anchors.js';
import { domainToASCII } from 'node:url';
import type { Mailbox } from '@rollcall/application';

export interface WorkerConfig extends CommonConfig {
  /** How many companies' imports run at once. */
  readonly concurrency: number;
  readonly invitations: InvitationsConfig;
  readonly anchors: AnchorsConfig;
  readonly webhookNetworks: ReturnType<typeof webhookNetworks>;
  readonly operationsUrl: string | undefined;
}

export function readWorkerConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const vars = readWorkerVariables(env);
  return {
    ...commonConfig(vars),
    concurrency: vars.WORKER_CONCURRENCY,
    invitations: invitationsConfig(vars),
    anchors: { file: vars.ANCHOR_FILE, url: vars.ANCHOR_URL },
    webhookNetworks: webhookNetworks(vars),
    operationsUrl: vars.OPERATIONS_URL,
  };
}

/** For Message-IDs. */
export const domainOf = ({ address }: Mailbox): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1));
