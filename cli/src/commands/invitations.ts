import { invitationStates } from '@rollcall/contracts';
import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { cancelOne, holdAll, resendOne, type HoldOptions, type ManageOptions } from './invitations-manage.js';
import { listInvitations, showInvitation, type ListOptions, type OneOptions } from './invitations-show.js';

const reason = ['--reason <text>', 'why, for the audit log', values.reason] as const;

function ofOne(command: Command): Command {
  return command
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .addOption(
      new Option('--employee <id>', 'the EmployeeID; this or --number is required')
        .argParser(values.employeeId)
        .conflicts('number'),
    )
    .option(
      '--number <n>',
      "the employee's number, also of one who has left; this or --employee is required",
      values.positiveInteger,
    );
}

/** Commander has no "exactly one of these options". */
function checked<O extends OneOptions>(
  command: Command,
  action: (options: O) => Promise<void>,
): (options: O) => Promise<void> {
  return (options) => {
    if (options.employee === undefined && options.number === undefined)
      command.error("error: one of '--employee <id>' and '--number <n>' is needed");
    return action(options);
  };
}

function addReading(invitations: Command, io: CliIo): void {
  invitations
    .command('list')
    .description("a company's invitations by the number of the employee")
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .addOption(new Option('--state <state>', 'only those in this state').choices(invitationStates))
    .option('--top <count>', 'the most invitations', values.positiveInteger, values.usualTop)
    .json()
    .examples('rollcall invitations list --company 7 --state Failed')
    .action((options: ListOptions) => listInvitations(io, options));
  const show = ofOne(invitations.command('show')).description('one invitation, and what happened to it');
  show
    .json()
    .examples(
      'rollcall invitations show --company 7 --employee A-17',
      'rollcall invitations show --company 7 --number 4711',
    )
    .action(checked(show, (options: OneOptions) => showInvitation(io, options)));
}

function addManaging(invitations: Command, io: CliIo): void {
  const hold = (name: 'hold' | 'release', description: string, held: boolean): void => {
    invitations
      .command(name)
      .description(description)
      .requiredOption('--company <id>', 'the company', values.positiveInteger)
      .option(...reason)
      .json()
      .examples(`rollcall invitations ${name} --company 7 --reason "the survey is not ready"`)
      .action((options: HoldOptions) => holdAll(io, { ...options, held }));
  };
  hold('hold', "send none of a company's invitations for now; what is due stays due", true);
  hold('release', "let a company's invitations go on", false);
  const resend = ofOne(invitations.command('resend')).description(
    'send an invitation now, or once more, under a new Message-ID',
  );
  resend
    .option(...reason)
    .json()
    .examples('rollcall invitations resend --company 7 --employee A-17 --reason "lost in the spam folder"')
    .action(checked(resend, (options: ManageOptions) => resendOne(io, options)));
  const cancel = ofOne(invitations.command('cancel')).description('do not send an invitation');
  cancel
    .option(...reason)
    .json()
    .examples('rollcall invitations cancel --company 7 --number 4711')
    .action(checked(cancel, (options: ManageOptions) => cancelOne(io, options)));
}

export function addCommands(invitations: Command, io: CliIo): void {
  addReading(invitations, io);
  addManaging(invitations, io);
}
