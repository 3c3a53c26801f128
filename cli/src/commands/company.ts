import {
  changeWebhook,
  configureCompany,
  readCompanies,
  readCompanySettings,
  readWebhooks,
  wasIntegrationOn,
  plain,
} from '@rollcall/application';
import type { CompanySettings } from '@rollcall/contracts';
import { companies, webhooks } from '@rollcall/domain';
import { Option } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { companyUnknown } from '../known-company.js';
import * as values from '../options/values.js';
import { answer, table } from '../output.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withSession, withStores, type Session } from '../session.js';
import { addCompanyTemplate } from './company-template.js';
import { settingLines } from '../company-text.js';

type OtherwiseGiven =
  'integrationEnabled' | 'hierarchyEnabled' | 'batchLimit' | 'batchLimitThen' | 'queueThreshold';
type SameNamed = Partial<Omit<CompanySettings, OtherwiseGiven>>;

interface ConfigureOptions extends SameNamed {
  readonly company: number;
  readonly integration?: boolean;
  readonly hierarchy?: boolean;
  readonly batchLimit?: number | 'none';
  /** Seconds. */
  readonly for?: number;
  readonly queueThreshold?: number | 'none';
  /** An address, or `off`. */
  readonly notify?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const flagOfSetting: Readonly<Partial<Record<companies.SettingProblem['setting'], string>>> = {
  companyId: '--company',
  integrationEnabled: '--integration',
  hierarchyEnabled: '--hierarchy',
};

const flagOf = (setting: companies.SettingProblem['setting']): string =>
  flagOfSetting[setting] ?? `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const numberOrNull = (value: number | 'none'): number | null => (value === 'none' ? null : value);

function changesOf(
  options: Omit<ConfigureOptions, 'company' | 'for' | 'notify' | 'reason' | 'json'>,
): Partial<CompanySettings> {
  const { integration, hierarchy, batchLimit, queueThreshold, ...sameNamed } = options;
  return {
    ...sameNamed,
    ...(integration === undefined ? {} : { integrationEnabled: integration }),
    ...(hierarchy === undefined ? {} : { hierarchyEnabled: hierarchy }),
    ...(batchLimit === undefined ? {} : { batchLimit: numberOrNull(batchLimit) }),
    ...(queueThreshold === undefined ? {} : { queueThreshold: numberOrNull(queueThreshold) }),
  };
}

const withoutBatchLimit = (companyId: number): string =>
  `Company ${companyId} has no batch limit: one import may remove everybody. A good one is --batch-limit 25.\n`;

async function configure(io: CliIo, options: ConfigureOptions): Promise<void> {
  const { company: companyId, reason, json = false, for: seconds, notify, ...given } = options;
  if (seconds !== undefined && given.batchLimit === undefined)
    throw new WrongUse('--for says how long a --batch-limit holds: give both.');
  const batchLimitUntil =
    seconds === undefined ? undefined : new Date(io.clock.now() + seconds * 1_000).toISOString();
  const command = { companyId, changes: changesOf(given), batchLimitUntil };
  requireValid(command);
  const work = async (session: Session): Promise<void> => {
    await requireReason(session, command, reason);
    const outcome = await configureCompany(session, session.context(companyId, reason), command);
    if (outcome.kind === 'refused') throw new Refusal(problemText(outcome.rejection));
    const { settings } = outcome;
    const changed = (await setNotify(session, { company: companyId, notify, reason })) || outcome.changed;
    const title = `Company ${companyId} ${changed ? 'is configured' : 'stood so already'}.`;
    const address = await notifiedAddress(session, companyId);
    const lines = [title, ...settingLines(settings, address, io.clock.now())];
    await answer(io, json, { companyId, changed, settings, notify: address }, lines);
    if (companies.batchLimitAt(settings, io.clock.now()) === null) io.err(withoutBatchLimit(companyId));
  };
  await withStores(io, work, { create: true });
}

/** Whether anything changed. */
async function setNotify(
  session: Session,
  {
    company: companyId,
    notify,
    reason,
  }: Record<'notify' | 'reason', string | undefined> & { company: number },
): Promise<boolean> {
  if (notify === undefined) return false;
  const command = { kind: 'notify', companyId, address: notify === 'off' ? null : notify } as const;
  const outcome = await changeWebhook(session, session.context(companyId, reason), command);
  if (outcome.kind === 'refused') throw new Refusal('--notify must be an e-mail address, or off');
  return outcome.changed;
}

async function notifiedAddress(session: Session, companyId: number): Promise<string | null> {
  const webhook = webhooks.notified(await readWebhooks(session, companyId));
  return (webhook && webhooks.addressOf(webhook)) ?? null;
}

/** Loosening a company's protection needs a reason; a new company has none to loosen. */
async function requireReason(
  { log, clock }: Session,
  command: companies.ConfigureCompany,
  reason: string | undefined,
): Promise<void> {
  const state = await readCompanySettings(log, command.companyId);
  const decision = companies.decide(command, state);
  if (reason !== undefined || state.status === 'unconfigured' || decision.kind !== 'events') return;
  const isOnAgain =
    !state.settings.integrationEnabled &&
    decision.events.some(({ data }) => data.settings.integrationEnabled) &&
    (await wasIntegrationOn(log, command.companyId));
  const weakened = decision.events.flatMap(({ data }) =>
    weakenedGuards(state.settings, data.settings, clock.now()),
  );
  if (isOnAgain) weakened.push('--integration');
  if (weakened.length > 0)
    throw new Refusal(
      `${weakened.join(' and ')} would weaken what protects company ${command.companyId}: say why with --reason.`,
    );
}

/** A batch limit is looser if it is so now, or will be when either limit that was set for a time ends. */
function weakenedGuards(before: CompanySettings, after: CompanySettings, now: number): string[] {
  const ends = [before, after].map(({ batchLimitThen }) => Date.parse(batchLimitThen?.from ?? ''));
  const limit = (settings: CompanySettings, at: number): number =>
    companies.batchLimitAt(settings, at) ?? Infinity;
  const isLooser = [now, ...ends].some((at) => at >= now && limit(after, at) > limit(before, at));
  return [
    ...(isLooser ? ['--batch-limit'] : []),
    ...(after.batchLimitFrom > before.batchLimitFrom ? ['--batch-limit-from'] : []),
  ];
}

const problemText = ({ problems }: companies.CompanyRejection): string =>
  problems.map(({ setting, problem }) => `${flagOf(setting)} ${problem}`).join('\n');

const noDimensions = { departmentDimensions: [], divisionDimensions: [], projectDimensions: [] };

/** `WrongUse` where no company would accept the values; the log decides about this one. */
function requireValid({ companyId, changes }: companies.ConfigureCompany): void {
  const alone = { companyId, changes: { ...noDimensions, ...changes } };
  const decision = companies.decide(alone, companies.initialState());
  if (decision.kind === 'refused') throw new WrongUse(problemText(decision.rejection));
}

const show = (io: CliIo, { company, json = false }: { company: number; json?: boolean }): Promise<void> =>
  withSession(io, async (session) => {
    const state = await readCompanySettings(session.log, company);
    if (state.status === 'unconfigured') throw companyUnknown(company);
    const { companyId, settings } = state;
    const notify = await notifiedAddress(session, companyId);
    const lines = [`Company ${companyId}`, ...settingLines(settings, notify, io.clock.now())];
    await answer(io, json, { companyId, settings, notify }, lines);
  });

const list = (io: CliIo, { json = false }: { json?: boolean }): Promise<void> =>
  withSession(io, async ({ log }) => {
    const { configured, broken } = await readCompanies(log);
    const all = configured.map(({ companyId, settings }) => ({ companyId, settings }));
    const rows = all.map(({ companyId, settings }) => [
      String(companyId),
      settings.integrationEnabled ? 'on' : 'off',
      settings.timeZone,
      plain(settings.name),
    ]);
    const lines = table(['company', 'integration', 'time zone', 'name'], rows);
    const problems = broken.map(({ stream, problem }) => `${stream} is broken: ${problem}`);
    await answer(io, json, { companies: all, broken }, [...lines, ...problems]);
  });

const addLimits = (configuring: Command): Command =>
  configuring
    .option(
      '--batch-limit <percent|none>',
      'most employees, in percent, that an import adds or removes',
      values.percentOrNone,
    )
    .option(
      '--for <time>',
      'how long that limit holds, as 1h or 2d; then the one before holds again',
      values.lifetime,
    )
    .option(
      '--batch-limit-from <count>',
      'employees present from which the batch limit counts (100)',
      values.count,
    )
    .addOption(
      new Option('--over-limit <refuse|hold>', 'what becomes of an import over the batch limit').choices([
        'refuse',
        'hold',
      ]),
    );

function addConfigure(company: Command, io: CliIo): void {
  addLimits(company.command('configure'))
    .description('create a company, or change the settings that are named')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--name <name>', 'its name')
    .option('--time-zone <zone>', 'IANA name of its time zone, such as Europe/Copenhagen')
    .option('--business-days <days>', 'Mon-Fri, or Mon,Wed,Fri, or none', values.businessDays)
    .option('--business-hours <hours>', '08:00-17:00', values.businessHours)
    .option('--holidays <dates>', '2026-12-24,2026-12-25, or none', values.localDates)
    .option('--integration <on|off>', 'whether imports are allowed', values.onOrOff)
    .option('--hierarchy <on|off>', 'whether the department hierarchy is imported', values.onOrOff)
    .option('--department-dimensions <names>', 'A,B; "" for none', values.names)
    .option('--division-dimensions <names>', 'A,B; "" for none', values.names)
    .option('--project-dimensions <names>', 'A,B; "" for none', values.names)
    .option('--languages <languages>', '1045:en:English,1041:da:Danish, or none', values.languages)
    .option(
      '--queue-threshold <count|none>',
      'employees from which an import is queued',
      values.positiveIntegerOrNone,
    )
    .option('--auto-invite <on|off>', 'whether new employees without a date are invited', values.onOrOff)
    .option(
      '--notify <address|off>',
      'who gets an e-mail when an import is held or has failed',
      values.addressOrOff,
    )
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples(
      'rollcall company configure --company 7 --name "Acme" --time-zone Europe/Copenhagen --integration on',
      'rollcall company configure --company 7 --batch-limit 25 --over-limit hold --notify hr@example.com',
      'rollcall company configure --company 7 --batch-limit 60 --for 1h --reason "a branch has closed"',
      'rollcall company configure --company 7 --holidays 2026-12-24,2026-12-25',
    )
    .action((options: ConfigureOptions) => configure(io, options));
}

export function addCommands(company: Command, io: CliIo): void {
  addConfigure(company, io);
  addCompanyTemplate(company, io);
  company
    .command('show')
    .description('the settings of a company')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .json()
    .examples('rollcall company show --company 7')
    .action((options: { company: number; json?: boolean }) => show(io, options));
  company
    .command('list')
    .description('all companies')
    .json()
    .examples('rollcall company list', 'rollcall company list --json')
    .action((options: { json?: boolean }) => list(io, options));
}
