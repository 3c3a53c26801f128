import type { DomainEventOf } from '@rollcall/contracts';

/** A person stops a company's invitations, or lets them go on. */
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

/** Of the company's state: what these decisions read. */
export interface HoldState {
  readonly settings: { readonly status: 'configured' | 'unconfigured' };
  readonly held: boolean;
}

/** Nothing of the company's is sent from now on; what is due stays due. Holding what is held does nothing. */
export const hold = ({ reason }: HoldInvitations, state: HoldState): HoldDecision =>
  change(state, true, { name: 'InvitationsHeld', data: { reason } });

/** The opposite of `hold`. */
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
