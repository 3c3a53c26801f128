import type { DomainEventOf, Operator } from '@rollcall/contracts';
import type { Decision } from '../decision.js';

/** A session that nobody ends, from the sign-in on. */
export const maxSessionMs = 8 * 3_600_000;

type OperatorEvent = DomainEventOf<'OperatorSignedIn' | 'OperatorSignedOut'>;

export type OperatorSession =
  | { readonly status: 'none' }
  | { readonly status: 'open' | 'ended'; readonly operator: Operator; readonly sessionHash: string };

export type OperatorCommand =
  | { readonly kind: 'sign-in'; readonly operator: Operator; readonly sessionHash: string }
  | { readonly kind: 'sign-out' };

type OperatorDecision = Decision<readonly OperatorEvent[], 'link-used'>;

export const initialState = (): OperatorSession => ({ status: 'none' });

/** A link signs in once; doing the same twice does nothing. */
export function decide(command: OperatorCommand, state: OperatorSession): OperatorDecision {
  switch (command.kind) {
    case 'sign-in': {
      if (state.status === 'open' && state.sessionHash === command.sessionHash) return { kind: 'nothing' };
      if (state.status !== 'none') return { kind: 'refused', rejection: 'link-used' };
      const data = { ...command.operator, sessionHash: command.sessionHash };
      return { kind: 'events', events: [{ name: 'OperatorSignedIn', data }] };
    }
    case 'sign-out':
      if (state.status !== 'open') return { kind: 'nothing' };
      return {
        kind: 'events',
        events: [{ name: 'OperatorSignedOut', data: { sessionHash: state.sessionHash } }],
      };
    default:
      return command satisfies never;
  }
}

export function evolve(state: OperatorSession, event: OperatorEvent): OperatorSession {
  if (event.name === 'OperatorSignedOut')
    return state.status === 'none' ? state : { ...state, status: 'ended' };
  const { sessionHash, ...operator } = event.data;
  return { status: 'open', operator, sessionHash };
}
