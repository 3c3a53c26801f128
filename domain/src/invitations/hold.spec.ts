import tap from 'tap';
import { company } from '../imports/imports.testing.js';
import { hold, type HoldState, release } from './hold.js';

const state = (held: boolean): HoldState => ({ settings: company().settings, held });
const one = (name: string) => ({ kind: 'events', events: [{ name, data: { reason: 'Not yet' } }] });
const command = { reason: 'Not yet' };

tap.test('hold and release', async (t) => {
  t.same(hold(command, state(false)), one('InvitationsHeld'));
  t.same(hold(command, state(true)), { kind: 'nothing' }, 'what is held');
  t.same(release(command, state(true)), one('InvitationsReleased'));
  t.same(release(command, state(false)), { kind: 'nothing' }, 'what is not held');
  const unknown = { settings: { status: 'unconfigured' }, held: false } as const;
  for (const decide of [hold, release])
    t.same(decide(command, unknown), { kind: 'refused', rejection: { reason: 'company-unknown' } });
});
