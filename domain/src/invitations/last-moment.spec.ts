import tap from 'tap';
import { defaultSettings } from '../companies/decide.js';
import { invitationDue } from './invitation-due.js';

tap.test('an InvitationDate is rounded up to the second, and never beyond the last one', async (t) => {
  const receivedAt = Date.parse('2026-11-20T09:00:00Z');
  for (const [sent, due] of [
    ['2036-11-21T11:00:00.000000001Z', '2036-11-21T11:00:01Z'],
    ['9999-12-31T23:59:58.5Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59.000Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59Z'],
    ['0000-01-01T00:00:00.5Z', '2026-11-20T09:00:00Z'],
  ] as const)
    t.equal(invitationDue(defaultSettings(7), receivedAt, sent), due, sent);
});
