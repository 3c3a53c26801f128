import { addApiUser, plain, readApiUsers, revokeApiUser } from '@rollcall/application';
import { type ApiRole, apiRoles } from '@rollcall/contracts';
import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { companyUnknown, requireCompany } from '../known-company.js';
import * as values from '../options/values.js';
import { answer, table } from '../output.js';
import type { Refusal } from '../refusal.js';
import { withSession, type Session } from '../session.js';
import { issuedTo } from './token-list.js';
import { userRefusal } from './user-refusals.js';

interface AddOptions {
  readonly company: number;
  readonly name: string;
  readonly role?: readonly ApiRole[];
  readonly json?: boolean;
}

type AddRejection = Extract<Awaited<ReturnType<typeof addApiUser>>, { kind: 'refused' }>['rejection'];

const add = (io: CliIo, { company, name, role = [], json = false }: AddOptions): Promise<void> =>
  withSession(io, async (session) => {
    const command = { companyId: company, name, roles: role };
    const outcome = await addApiUser(session, session.context(company), command);
    if (outcome.kind === 'refused') throw addRefusal(company, outcome.rejection);
    const { status, ...user } = outcome.user;
    const roles = user.roles.length === 0 ? 'no role' : `the role ${user.roles.join(', ')}`;
    await answer(io, json, { ...user, status }, [
      `API user ${user.userId} is added to company ${company}, with ${roles}.`,
    ]);
  });

const addRefusal = (company: number, rejection: AddRejection): Refusal =>
  rejection.reason === 'company-unconfigured' ? companyUnknown(company) : userRefusal(rejection);

async function usersWithTokens(session: Session, companyId: number) {
  const looked = { state: await readApiUsers(session), now: session.clock.now() };
  const users = [...looked.state.users.values()].filter((user) => user.companyId === companyId);
  const withTokens = users.map(async (user) => {
    const issued = await issuedTo(session, user, looked);
    const tokens = issued.map(({ jti, kid, expiresAt, state }) => {
      return { jti, kid, expiresAt, state, revoked: state === 'revoked' };
    });
    return { ...user, tokens };
  });
  return Promise.all(withTokens);
}

const list = (io: CliIo, { company, json = false }: { company: number; json?: boolean }): Promise<void> =>
  withSession(io, async (session) => {
    await requireCompany(session, company);
    const users = await usersWithTokens(session, company);
    const rows = users.map((user) => [
      String(user.userId),
      user.status,
      user.roles.join(',') || 'none',
      String(user.tokens.filter(({ state }) => state === 'valid').length),
      plain(user.name),
    ]);
    await answer(io, json, { users }, table(['user', 'status', 'roles', 'tokens', 'name'], rows));
  });

interface RevokeOptions {
  readonly user: number;
  readonly reason?: string;
  readonly json?: boolean;
}

const revoke = (io: CliIo, { user: userId, reason, json = false }: RevokeOptions): Promise<void> =>
  withSession(io, async (session) => {
    const known = (await readApiUsers(session)).users.get(userId);
    const context = session.context(known?.companyId ?? null, reason);
    const outcome = await revokeApiUser(session, context, userId);
    if (outcome.kind === 'refused') throw userRefusal(outcome.rejection);
    const changed = outcome.events.length > 0;
    const text = changed ? 'is revoked, with every token' : 'was revoked already';
    await answer(io, json, { userId, changed }, [`API user ${userId} ${text}.`]);
  });

export function addCommands(user: Command, io: CliIo): void {
  user
    .command('add')
    .description('add an API user')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .requiredOption(
      '--name <name>',
      'a name for the log, for example of the system that calls',
      values.userName,
    )
    .addOption(new Option('--role <role...>', 'what the user may do besides surveys').choices(apiRoles))
    .json()
    .examples(
      'rollcall user add --company 7 --name "HR system" --role HRIntegration',
      'rollcall user add --company 7 --name "Survey tool"',
      'rollcall user add --company 7 --name "Audit office" --role Auditor',
    )
    .action((options: AddOptions) => add(io, options));
  user
    .command('list')
    .description('the API users of a company; with --json their tokens by id too')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .json()
    .examples('rollcall user list --company 7', 'rollcall user list --company 7 --json')
    .action((options: { company: number; json?: boolean }) => list(io, options));
  user
    .command('revoke')
    .description('refuse every token of an API user from now on')
    .requiredOption('--user <id>', 'the API user', values.positiveInteger)
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples('rollcall user revoke --user 2 --reason "the contract has ended"')
    .action((options: RevokeOptions) => revoke(io, options));
}
