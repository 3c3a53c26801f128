import {
  checkEventData,
  companyHasWorkExample,
  type EventName,
  catalogueExtendedExample,
  installationCreatedExample,
  logAnchoredExample,
  invitationEventExamples,
  invitationsAreDueExample,
  isCompanyHasWork,
  areInvitationsDue,
  operatorEventExamples,
  webhookEventExamples,
} from '@rollcall/contracts';
import tap from 'tap';
import { catalogueProblems, currentShapes, readSnapshot, shapeHash } from './catalogue-snapshot.js';

tap.test('no event changes its shape without a new version', async (t) => {
  t.strictSame(catalogueProblems(readSnapshot(), currentShapes()), []);
});

const text = { type: 'string' };
const thing = (required: string[], b: object): object => ({
  type: 'object',
  required,
  properties: { a: text, b },
});

tap.test('the snapshot notices', async (t) => {
  const schema = thing(['a'], { type: 'integer', minimum: 1 });
  const snapshot = { Thing: { 1: shapeHash(schema) } };
  const problem = (version: number, changed = schema): string | undefined =>
    catalogueProblems(snapshot, { Thing: { version, schema: changed } })[0]?.replace(/"[0-9a-f]+"/, '...');

  t.equal(problem(1), undefined);
  t.equal(problem(1, thing(['a'], { minimum: 1, description: 'a count', type: 'integer' })), undefined);
  t.match(problem(1, thing(['a', 'b'], { type: 'integer', minimum: 1 })), /another shape/);
  t.match(problem(1, thing(['a'], { type: 'integer' })), /another shape/);
  t.equal(problem(2), 'Thing version 2 is new: add ... to catalogue.json');
  t.match(problem(0), /went back/);
  t.match(catalogueProblems(snapshot, {})[0], /Thing is gone/);
});

tap.test('the examples are valid', async (t) => {
  for (const [name, data] of Object.entries({
    ...invitationEventExamples,
    ...webhookEventExamples,
    ...operatorEventExamples,
  }))
    t.same(checkEventData(name as EventName, data), { ok: true, data }, name);
  t.ok(checkEventData('InstallationCreated', installationCreatedExample).ok);
  t.ok(checkEventData('CatalogueExtended', catalogueExtendedExample).ok);
  t.ok(checkEventData('LogAnchored', logAnchoredExample).ok);
  t.ok(isCompanyHasWork(companyHasWorkExample));
  t.ok(areInvitationsDue(invitationsAreDueExample));
  t.notOk(areInvitationsDue({ ...invitationsAreDueExample, numbers: [0] }));
  t.notOk(areInvitationsDue(companyHasWorkExample));
});
