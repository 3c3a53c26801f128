import type { DomainEventOf } from '@rollcall/contracts';
import type { Decision } from '../decision.js';

interface HoldInvitations {
  readonly reason: string | null;
}

type HoldEvent = DomainEventOf<'InvitationsHeld' | 'InvitationsReleased'>;

type HoldDecision = Decision<readonly [HoldEvent], { readonly reason: 'company-unknown' }>;

export interface HoldState {
  readonly settings: { readonly status: 'configured' | 'unconfigured' };
  readonly held: boolean;
}

/** Stops the company's sending; due invitations stay due. */
export const hold = ({ reason }: HoldInvitations, state: HoldState): HoldDecision =>
  change(state, true, { name: 'InvitationsHeld', data: { reason } });

export const release = ({ reason }: HoldInvitations, state: HoldState): HoldDecision =>
  change(state, false, { name: 'InvitationsReleased', data: { reason } });

function change({ settings, held }: HoldState, wanted: boolean, event: HoldEvent): HoldDecision {
  if (settings.status !== 'configured') return { kind: 'refused', rejection: { reason: 'company-unknown' } };
  return held === wanted ? { kind: 'nothing' } : { kind: 'events', events: [event] };
}
