import { setImmediate } from 'node:timers/promises';
import { companyBatches, findImport } from '@rollcall/application';
import type { Static } from 'typebox';
import { pathOfEmployee } from '../companies/company-view.js';
import { type Ask, countRead } from '../frame/ask.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { counted } from '../frame/numbers.js';
import type { Moved, PageApp } from '../frame/page-app.js';
import { empty } from '../frame/table.js';
import { isOperationId } from '../imports/import-filter.js';
import { pathOfImport, searchForm } from '../imports/import-list-view.js';
import { peopleTable } from '../people/employee-view.js';
import { foundIn, foundPeople, SearchQuery } from './employees.js';

const patienceMs = 1_000;

export function searchView(page: PageApp): void {
  page.view('/search', SearchQuery, searchPage);
}

/** An operation's id, or a person of any company that the operator may see. */
async function searchPage(ask: Ask<Static<typeof SearchQuery>>): Promise<Page | Moved> {
  const sought = (ask.query.q ?? '').trim();
  if (sought === '') return { title: 'Find', section: 'imports', body: searchForm };
  const one = await importOf(ask, sought.toLowerCase());
  if (one !== undefined) return { location: pathOfImport(one) };
  const { people, isPartial } = await peopleIn(ask, sought);
  const [only] = people;
  if (only !== undefined && people.length === 1 && !isPartial)
    return { location: pathOfEmployee(only.companyId, only.number) };
  return {
    title: `Found for “${sought}”`,
    section: 'imports',
    body: html`${searchForm} ${isPartial ? partial : nothing} ${peopleList(people)}`,
  };
}

async function importOf({ kit, operator }: Ask, operationId: string) {
  return isOperationId(operationId)
    ? findImport(kit.readModels, operationId, operator.companyId ?? undefined)
    : undefined;
}

const partial = html`<p class="notice">
  Not all companies were looked at: too many people were found, or a second was over. Search in one company.
</p>`;

const peopleList = (people: Found['people']): Html =>
  people.length === 0
    ? empty(
        html`Nothing here has this operation id, e-mail address, name or EmployeeID. People who have left are
        found by EmployeeID.`,
      )
    : peopleTable(counted(people.length, 'person').replace('persons', 'people'), people);

type Found = Awaited<ReturnType<typeof peopleIn>>;

/** Company by company, a turn of the event loop for each, while there is patience. */
async function peopleIn(ask: Ask, text: string) {
  const until = performance.now() + patienceMs;
  const wanted = { companyId: ask.operator.companyId ?? undefined };
  const people = [];
  for await (const batch of companyBatches(ask.kit.readModels, wanted))
    for (const { companyId, settings } of batch) {
      if (people.length >= foundPeople || performance.now() > until) return { people, isPartial: true };
      const here = await foundIn(ask, companyId, text);
      if (here.length > 0) countRead(ask, { companyId, what: 'search for employees', rows: here.length });
      people.push(...here.map((one) => ({ ...one, companyId, company: settings.name })));
      await setImmediate();
    }
  return { people, isPartial: false };
}
