import type { AuthenticationsRefused, PersonalDataRead } from '../events/access-events.js';

const minute = { from: '2026-11-23T08:10:00.000Z', until: '2026-11-23T08:10:59.000Z' };

export const personalDataReadExample: PersonalDataRead = {
  ...minute,
  reads: [{ what: 'employees', calls: 2, rows: 1_200, requestId: 'nightly-4711' }],
};

export const authenticationsRefusedExample: AuthenticationsRefused = {
  ...minute,
  refused: [{ kid: 'default', subject: '3', count: 12 }],
  others: 0,
};
