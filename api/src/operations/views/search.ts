import { setImmediate } from 'node:timers/promises';
import { companyBatches, findImport } from '@rollcall/application';
import type { Static } from 'typebox';
import { type Ask, countRead } from '../frame/ask.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { counted } from '../frame/numbers.js';
import type { Moved, PageApp } from '../frame/page-app.js';
import { empty } from '../frame/table.js';
import { isOperationId } from '../imports/import-filter.js';
import { pathOfImport, searchForm } from '../imports/import-list-view.js';
import { pathOfEmployee, peopleTable } from '../people/employee-view.js';
import { foundIn, foundPeople, SearchQuery } from './employees.js';

const patienceMs = 1_000;

export function searchView(page: PageApp): void {
  page.view('/search', SearchQuery, searchPage);
}

/** An operation's id, or a person of any company that the operator may see. */
async function searchPage(ask: Ask<Static<typeof SearchQuery>>): Promise<Page | Moved> {
  const sought = (ask.query.q ?? '').trim();
  const one = await importOf(ask, sought.toLowerCase());
  if (one !== undefined) return { location: pathOfImport(one) };
  const people = sought === '' ? [] : await peopleIn(ask, sought);
  const [only] = people;
  if (only !== undefined && people.length === 1)
    return { location: pathOfEmployee(only.companyId, only.number) };
  return {
    title: sought === '' ? 'Find' : `Found for “${sought}”`,
    section: 'imports',
    body: html`${searchForm} ${sought === '' ? nothing : peopleList(people)}`,
  };
}

async function importOf({ kit, operator }: Ask, operationId: string) {
  return isOperationId(operationId)
    ? findImport(kit.readModels, operationId, operator.companyId ?? undefined)
    : undefined;
}

const peopleList = (people: Awaited<ReturnType<typeof peopleIn>>): Html =>
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
  for await (const batch of companyBatches(ask.kit.readModels, wanted))
    for (const { companyId, settings } of batch) {
      const here = await foundIn(ask, companyId, text);
      if (here.length > 0) countRead(ask, { companyId, what: 'search for employees', rows: here.length });
      people.push(...here.map((one) => ({ ...one, companyId, company: settings.name })));
      if (people.length >= foundPeople || performance.now() > until) return people;
      await setImmediate();
    }
  return people;
}
