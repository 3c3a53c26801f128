import { configureCompany, systemClock } from '@rollcall/application';
import type { Test } from 'tap';
import { startTestApp, testContext, type TestApp } from '../support/test-app.js';

const first = 1_001;
/** Of companies beside 7 and 8. */
export const furtherCompanies = 148;

/** 150 companies: 7, 8, and from 1001 on, called `Firm 1001`. */
export async function manyCompanies(t: Test): Promise<TestApp> {
  const app = await startTestApp(t, { shape: 'one' });
  const deps = { log: app.adapters.log, clock: systemClock };
  for (let companyId = first; companyId < first + furtherCompanies; companyId += 1)
    await configureCompany(deps, testContext(companyId), {
      companyId,
      changes: { name: `Firm ${companyId}`, languages: [], integrationEnabled: true },
    });
  await app.projected();
  return app;
}
