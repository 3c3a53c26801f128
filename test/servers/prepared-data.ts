import {
  addApiUser,
  configureCompany,
  issueToken,
  readModelsVersion,
  systemClock,
  newId,
} from '@rollcall/application';
import {
  createSigningKey,
  tokenSigner,
  keyPaths,
  openAdapters,
  type AdaptersConfig,
} from '@rollcall/adapters';

import type { CallContext } from '@rollcall/contracts';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** Of what an operator does. */
export const contextFor = (companyId: number): CallContext => ({
  companyId,
  operationId: newId(),
  userId: null,
  username: 'cli:test@localhost',
  causationId: null,
  receivedAt: new Date(systemClock.now()).toISOString(),
});

/** A company that may be imported to, and queues nothing. */
export const importingCompany = (companyId: number) => ({
  companyId,
  changes: {
    name: `Company ${companyId}`,
    timeZone: 'Europe/Copenhagen',
    integrationEnabled: true,
    queueThreshold: null,
  },
});

/**
 * Fills a data folder, as the command line would, with companies that may be imported to, each with an API user.
 * Returns a token for each company, in their order.
 */
export const prepareDataDir = (dataDir: string, companyIds: readonly number[]): Promise<string[]> =>
  prepareInstallation(embeddedAdapters(dataDir), companyIds);

/** The same of an installation on any adapters; its keys lie in its data folder. */
export async function prepareInstallation(
  config: AdaptersConfig,
  companyIds: readonly number[],
): Promise<string[]> {
  const signer = tokenSigner(await createSigningKey(keyPaths(config.dataDir)));
  const adapters = await openAdapters({ ...config, projections: readModelsVersion });
  await adapters.readModels.beginEmpty();
  const deps = { log: adapters.log, clock: systemClock };
  const tokens: string[] = [];
  try {
    for (const companyId of companyIds) {
      await configureCompany(deps, contextFor(companyId), importingCompany(companyId));
      const added = await addApiUser(deps, contextFor(companyId), {
        companyId,
        name: `HR system ${companyId}`,
        roles: ['HRIntegration'],
      });
      if (added.kind === 'refused') throw new Error('The API user was refused');
      const issued = await issueToken(deps, contextFor(companyId), {
        userId: added.user.userId,
        lifetime: 86_400,
        jti: newId(),
        signer,
        issuer: 'rollcall',
        audience: 'rollcall',
      });
      if (issued.kind === 'refused') throw new Error('The token was refused');
      tokens.push(issued.token);
    }
  } finally {
    await adapters.close();
  }
  return tokens;
}
