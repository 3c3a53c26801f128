import { operatorKey, revokeSessions, signOperatorLink } from '@rollcall/application';
import { operatorRoles, type OperatorRole } from '@rollcall/contracts';
import { installationKeys } from '@rollcall/host';
import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { withSession } from '../session.js';

const linkMs = 10 * 60_000;

interface LinkOptions {
  readonly name: string;
  readonly role: OperatorRole;
  readonly company: number | 'all';
  readonly json?: boolean;
}

const link = (io: CliIo, { name, role, company, json = false }: LinkOptions): Promise<void> =>
  withSession(io, async (session) => {
    const { config, clock, log } = session;
    const companyId = company === 'all' ? null : company;
    await requireCompany(session, companyId ?? undefined);
    const { digestKey } = await installationKeys(log, config.keyFolder);
    const expiresAt = clock.now() + linkMs;
    const operator = { name, role, companyId };
    const token = signOperatorLink(operatorKey(digestKey), { linkId: io.newId(), operator, expiresAt });
    const url = `${config.operationsUrl}/operations/sign-in/${token}`;
    const until = new Date(expiresAt).toISOString();
    // Alone on stdout, for scripts.
    if (!json) io.err(`A link for ${name}, ${role} of ${companyName(company)}: once, until ${until}.\n`);
    await answer(io, json, { url, name, role, companyId, expiresAt: until }, [url]);
  });

interface RevokeOptions {
  readonly name: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const revoke = (io: CliIo, { name, reason, json = false }: RevokeOptions): Promise<void> =>
  withSession(io, async (session) => {
    const sessions = await revokeSessions(session, session.context(null, reason), name);
    await answer(io, json, { name, sessions }, [
      `${sessions} ${sessions === 1 ? 'session' : 'sessions'} of ${name} ended. A link that was not used yet still signs in for ten minutes.`,
    ]);
  });

const companyName = (company: LinkOptions['company']): string =>
  company === 'all' ? 'all companies' : `company ${company}`;

export function addCommands(operator: Command, io: CliIo): void {
  operator
    .command('link')
    .description('print a link that lets somebody into the operations page, once, within ten minutes')
    .requiredOption('--name <name>', 'who it is for; the log names them', values.userName)
    .addOption(
      new Option('--role <role>', 'an Auditor reads and changes nothing')
        .choices(operatorRoles)
        .makeOptionMandatory(),
    )
    .requiredOption('--company <id>', 'the company, or all', values.companyOrAll)
    .json()
    .examples(
      'rollcall operator link --name Ada --role Operator --company 7',
      'rollcall operator link --name "Audit office" --role Auditor --company all',
    )
    .action((options: LinkOptions) => link(io, options));
  operator
    .command('revoke')
    .description('end all sessions of a person on the operations page, within seconds')
    .requiredOption('--name <name>', 'as the link names them', values.userName)
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples('rollcall operator revoke --name Ada --reason "her laptop is stolen"')
    .action((options: RevokeOptions) => revoke(io, options));
}
