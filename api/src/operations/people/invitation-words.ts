import type { Invitation, InvitationState } from '@rollcall/contracts';
import type { Html } from '../frame/html.js';
import { state, type State } from '../frame/table.js';

const kinds: Readonly<Record<InvitationState, State>> = {
  Planned: 'waiting',
  Due: 'waiting',
  Held: 'bad',
  Sending: 'waiting',
  Deferred: 'waiting',
  Sent: 'good',
  Failed: 'bad',
  Cancelled: 'quiet',
};

export const stateOfInvitation = ({ State: own }: Pick<Invitation, 'State'>): Html => state(kinds[own], own);
