import { setImmediate } from 'node:timers/promises';
import { companyBatches, findImport } from '@rollcall/application';
import type { Static } from 'typebox';
import { pathOfEmployee } from '../companies/company-view.js';
import type { Ask } from '../frame/ask.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { counted } from '../frame/numbers.js';
import type { Moved, PageApp } from '../frame/page-app.js';
import { empty } from '../frame/table.js';
import { isOperationId } from '../imports/import-filter.js';
import { pathOfImport, searchForm } from '../imports/import-list-view.js';
import { peopleTable } from '../people/employee-view.js';
import { SearchQuery } from './companies.js';
import { foundIn, foundPeople } from './employees.js';

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
  const { people, notice } = await peopleIn(ask, sought);
  const [only] = people;
  if (only !== undefined && people.length === 1 && notice === nothing)
    return { location: pathOfEmployee(only.companyId, only.number) };
  return {
    title: `Found for “${sought}”`,
    section: 'imports',
    body: html`${searchForm} ${notice} ${peopleList(people)}`,
  };
}

const importOf = async ({ kit, operator }: Ask, id: string) =>
  isOperationId(id) ? findImport(kit.readModels, id, operator.companyId ?? undefined) : undefined;

const partial = html`<p class="notice">
  Not all companies were looked at: too many people were found, or a second was over. Search in one company.
</p>`;

const peopleList = (people: Parameters<typeof peopleTable>[1]): Html =>
  people.length === 0
    ? empty(
        html`Nothing here has this operation id, e-mail address, name or EmployeeID. People who have left are
        found by EmployeeID.`,
      )
    : peopleTable(counted(people.length, 'person').replace('persons', 'people'), people);

/** Company by company, a turn of the event loop for each, while there is patience. */
async function peopleIn(ask: Ask, text: string) {
  const until = performance.now() + patienceMs;
  const wanted = { companyId: ask.operator.companyId ?? undefined };
  const people = [];
  let notice = nothing;
  for await (const batch of companyBatches(ask.kit.readModels, wanted))
    for (const { companyId, settings } of batch) {
      if (people.length >= foundPeople || performance.now() > until) return { people, notice: partial };
      const { people: here, cut } = await foundIn(ask, companyId, text);
      notice = cut;
      people.push(...here.map((one) => ({ ...one, companyId, company: settings.name })));
      await setImmediate();
    }
  return { people, notice };
}
