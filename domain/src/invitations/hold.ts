import type { DomainEventOf } from '@rollcall/contracts';

export interface HoldInvitations {
  readonly reason: string | null;
}

export type HoldDecision =
  | {
      readonly kind: 'events';
      readonly events: readonly [DomainEventOf<'InvitationsHeld' | 'InvitationsReleased'>];
    }
  | { readonly kind: 'refused'; readonly rejection: { readonly reason: 'company-unknown' } }
  | { readonly kind: 'nothing' };

export interface HoldState {
  readonly settings: { readonly status: 'configured' | 'unconfigured' };
  readonly held: boolean;
}

/** Stops the company's sending; due invitations stay due. */
export const hold = ({ reason }: HoldInvitations, state: HoldState): HoldDecision =>
  change(state, true, { name: 'InvitationsHeld', data: { reason } });

export const release = ({ reason }: HoldInvitations, state: HoldState): HoldDecision =>
  change(state, false, { name: 'InvitationsReleased', data: { reason } });

function change(
  { settings, held }: HoldState,
  wanted: boolean,
  event: DomainEventOf<'InvitationsHeld' | 'InvitationsReleased'>,
): HoldDecision {
  if (settings.status !== 'configured') return { kind: 'refused', rejection: { reason: 'company-unknown' } };
  return held === wanted ? { kind: 'nothing' } : { kind: 'events', events: [event] };
}
