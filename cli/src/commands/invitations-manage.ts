import { cancelInvitation, holdInvitations, resendInvitation } from '@rollcall/application';
import type { invitations } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { withCompanyStates } from '../company-states.js';
import { companyUnknown } from '../known-company.js';
import { answer } from '../output.js';
import { Refusal } from '../refusal.js';
import { withStores } from '../session.js';
import { numberOf, type OneOptions } from './invitations-show.js';

export interface HoldOptions {
  readonly company: number;
  readonly reason?: string;
  readonly json?: boolean;
}

export type ManageOptions = OneOptions & { readonly reason?: string };

export const holdAll = (io: CliIo, options: HoldOptions & { readonly held: boolean }): Promise<void> =>
  withStores(io, async (session) => {
    const { company: companyId, held, json = false } = options;
    const command = { companyId, held, reason: options.reason ?? null };
    const context = session.context(companyId, options.reason);
    const outcome = await holdInvitations(await withCompanyStates(session), context, command);
    if (outcome.kind === 'refused') throw companyUnknown(companyId);
    const { changed } = outcome;
    const text = `The invitations of company ${companyId} are ${held ? 'held' : 'not held'}`;
    await answer(io, json, { companyId, held, changed }, [`${text}${changed ? '' : ' already'}.`]);
  });

const manage = (
  io: CliIo,
  options: ManageOptions,
  { command, text }: { readonly command: typeof resendInvitation; readonly text: string },
): Promise<void> =>
  withStores(io, async (session) => {
    const { company: companyId, json = false } = options;
    const number = await numberOf(session, options);
    const context = session.context(companyId, options.reason);
    const managed = { companyId, number, reason: options.reason ?? null };
    const outcome = await command(await withCompanyStates(session), context, managed);
    if (outcome.kind === 'refused') throw refusalOf(managed, outcome.rejection);
    const { changed } = outcome;
    await answer(io, json, { companyId, number, changed }, [
      `The invitation of employee ${number} of company ${companyId} is ${text}${changed ? '' : ' already'}.`,
    ]);
  });

export const resendOne = (io: CliIo, options: ManageOptions): Promise<void> =>
  manage(io, options, { command: resendInvitation, text: 'requested' });

export const cancelOne = (io: CliIo, options: ManageOptions): Promise<void> =>
  manage(io, options, { command: cancelInvitation, text: 'cancelled' });

function refusalOf(
  { companyId, number }: { readonly companyId: number; readonly number: number },
  rejection: invitations.InvitationRejection,
): Refusal {
  const which = `The invitation of employee ${number} of company ${companyId}`;
  switch (rejection.reason) {
    case 'left':
      return new Refusal(`Company ${companyId} has no employee ${number}: nobody who has left is invited.`);
    case 'sending':
      return new Refusal(`${which} is being sent: try again after ${rejection.until}.`);
    case 'ended':
      return new Refusal(`${which} ${rejection.status === 'sent' ? 'was sent' : 'has failed'} already.`);
    case 'not-planned':
      return new Refusal(`${which} is not planned: there is nothing to cancel.`);
    default:
      return rejection satisfies never;
  }
}
