import { knownCompanies } from '@rollcall/application';
import { readyAnswer } from '@rollcall/host';
import { NoQuery } from '@rollcall/contracts';
import type { PageApp } from '../frame/page-app.js';
import { processesView } from '../processes/processes-view.js';
import { readSituation } from '../processes/situation.js';
import { zoneOf } from './start.js';

export function processesRoute(page: PageApp): void {
  page.view('/processes', NoQuery, async ({ kit, operator, now }) => {
    const { companyId } = operator;
    const own = readyAnswer(await kit.readiness()).body;
    const situation = await readSituation(kit);
    const timeZone = zoneOf(await knownCompanies(kit.readModels, companyId ?? undefined));
    return {
      title: 'Processes',
      section: 'processes',
      body: processesView({ own, situation, companyId, times: { timeZone, now } }),
    };
  });
}
