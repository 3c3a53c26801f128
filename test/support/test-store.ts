import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addApiUser, configureCompany, readModelsVersion, systemClock, newId } from '@rollcall/application';
import { openAdapters, openKeys, type Adapters, type AdaptersConfig } from '@rollcall/adapters';

import type { CallContext, CompanySettings } from '@rollcall/contracts';
import type { Test } from 'tap';
import { testAdapters } from './test-stack.js';
import { TokenMaker } from './tokens.js';

/** The company of the default caller. */
export const companyId = 7;
export const otherCompanyId = 8;

/** The context of what a test does beside HTTP. */
export const testContext = (company: number | null = null): CallContext => ({
  companyId: company,
  operationId: newId(),
  userId: null,
  username: 'cli:test@host',
  causationId: null,
  receivedAt: new Date(0).toISOString(),
});

/** What several apps of one installation share. */
export interface TestStore {
  readonly config: AdaptersConfig;
  readonly adapters: Adapters;
  readonly digestKey: Uint8Array;
  readonly tokens: TokenMaker;
}

/**
 * A log, read models and a queue, in a temporary folder unless TEST_STACK says otherwise, with two companies; gone with the
 * test. `settings` are of company 7 and 8.
 */
export async function openTestStore(t: Test, settings: Partial<CompanySettings> = {}): Promise<TestStore> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const config = { ...(await testAdapters(t, dataDir)), projections: readModelsVersion };
  const adapters = await openAdapters(config);
  t.teardown(() => adapters.close());
  await adapters.readModels.beginEmpty();
  await populate(adapters, settings);
  const { digestKey } = await openKeys({ folder: join(dataDir, 'keys') });
  return { config, adapters, digestKey, tokens: testTokens() };
}

async function populate({ log }: Adapters, settings: Partial<CompanySettings> = {}): Promise<void> {
  const deps = { log, clock: systemClock };
  const languages = [
    { id: 1045, label: 'English', code: 'en' },
    { id: 1041, label: 'Danish', code: 'da' },
  ];
  for (const id of [companyId, otherCompanyId]) {
    const changes = { name: `Company ${id}`, integrationEnabled: true, languages, ...settings };
    await configureCompany(deps, testContext(id), { companyId: id, changes });
  }
  for (const [id, roles] of [
    [companyId, ['HRIntegration']],
    [companyId, []],
    [otherCompanyId, ['HRIntegration']],
  ] as const)
    await addApiUser(deps, testContext(id), { companyId: id, name: `User of ${id}`, roles });
}

function testTokens(): TokenMaker {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return new TokenMaker(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })), pem);
}
