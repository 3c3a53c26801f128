import type { EventName } from '@rollcall/contracts';
import { invitations } from '@rollcall/domain';
import type { Fold } from '../event-store/fold.js';
import { eventData, type LoadedEvent } from '../event-store/loaded-event.js';

const names = [
  'InvitationRequested',
  'InvitationSending',
  'InvitationSent',
  'InvitationDeferred',
  'InvitationFailed',
  'InvitationCancelled',
] as const satisfies readonly EventName[];

const isOne = (name: EventName): name is (typeof names)[number] => names.some((one) => one === name);

export const invitationFold: Fold<invitations.InvitationState> = {
  initial: invitations.initialState,
  evolve: async (state, event) => {
    const happened = await invitationEvent(event);
    return happened ? invitations.evolve(state, happened) : state;
  },
};

async function invitationEvent(event: LoadedEvent): Promise<invitations.InvitationEvent | undefined> {
  const { name } = event;
  if (!isOne(name)) return undefined;
  return { name, data: await eventData(event, name) } as invitations.InvitationEvent;
}
