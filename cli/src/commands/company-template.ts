import { parseMailbox } from '@rollcall/adapters';
import {
  readInvitationTemplates,
  setInvitationTemplate,
  type Mailbox,
  type TemplateInForce,
  plain,
} from '@rollcall/application';

import type { InvitationTemplateSet } from '@rollcall/contracts';
import { companies, templates } from '@rollcall/domain';
import { InvalidArgumentError } from 'commander';
import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import { textOf } from '../given-file.js';
import { companyUnknown } from '../known-company.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { Refusal, WrongUse } from '../refusal.js';
import { withSession, type Session } from '../session.js';

interface TemplateOptions {
  readonly company: number;
  readonly language?: number;
  readonly subject?: string;
  readonly textFile?: string;
  readonly htmlFile?: string;
  readonly sender?: Mailbox | 'none';
  readonly show?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

const changing = ['subject', 'textFile', 'htmlFile', 'sender'] as const;

async function template(io: CliIo, options: TemplateOptions): Promise<void> {
  const isSet = changing.some((name) => options[name] !== undefined);
  if (!isSet) return withSession(io, (session) => show(session, options));
  const { company: companyId, language, show: isShown = false } = options;
  if (isShown) throw new WrongUse('--show shows what stands: leave out what is to be set.');
  if (language === undefined) throw new WrongUse('--language must say which language the mail is in.');
  const command = { companyId, language, changes: await changesOf(options) };
  requireValid(command);
  await withSession(io, (session) => set(session, options, command));
}

async function show(session: Session, options: TemplateOptions): Promise<void> {
  const { company, language, json = false } = options;
  const all = await readInvitationTemplates(session.log, company);
  if (!all) throw companyUnknown(company);
  const found = all.filter((each) => language === undefined || each.language.id === language);
  if (language !== undefined && found.length === 0)
    throw languageUnknown(
      company,
      all.map((each) => each.language),
    );
  const shown = found.map(({ template: { sender, subject, text, html }, isSet, ...each }) => {
    return { language: each.language.id, isSet, sender, subject, text, html };
  });
  await answer(session.io, json, { companyId: company, templates: shown }, linesOf(company, found));
}

const linesOf = (company: number, found: readonly TemplateInForce[]): readonly string[] =>
  found.length === 0
    ? [`Company ${company} has no languages: its invitations are the default in English.`]
    : found.flatMap(templateLines);

const templateLines = ({ language, template: { sender, subject, text, html }, isSet }: TemplateInForce) => [
  `${language.id} ${plain(language.label)} (${isSet ? 'set' : 'the default'})`,
  `From: ${sender === null ? "the installation's sender" : plain(`${sender.name} <${sender.address}>`)}`,
  `Subject: ${plain(subject)}`,
  '',
  ...text.split(/\r?\n/).map(plain),
  ...html.split(/\r?\n/).map(plain),
];

interface SetCommand extends templates.SetTemplate {
  readonly companyId: number;
}

async function set(session: Session, options: TemplateOptions, command: SetCommand): Promise<void> {
  const { companyId, language } = command;
  const outcome = await setInvitationTemplate(session, session.context(companyId, options.reason), command);
  if (outcome.kind === 'refused') throw refusalOf(companyId, outcome.rejection);
  const { changed, template: stored } = outcome;
  const which = `The invitation of company ${companyId} in language ${language}`;
  await answer(session.io, options.json ?? false, { companyId, changed, template: stored }, [
    `${which} ${changed ? 'is set' : 'stood so already'}.`,
  ]);
}

function requireValid({ companyId, language, changes }: SetCommand): void {
  const languages = [{ id: language, code: 'en', label: 'English' }];
  const settings = { ...companies.defaultSettings(companyId), languages };
  const state = {
    ...templates.initialState(),
    settings: { status: 'configured', companyId, settings } as const,
  };
  const decision = templates.decide({ language, changes }, state);
  if (decision.kind === 'refused' && decision.rejection.reason === 'template-invalid')
    throw new WrongUse(problemText(decision.rejection.problems));
}

type Changes = Partial<Omit<InvitationTemplateSet, 'language'>>;

async function changesOf({ subject, textFile, htmlFile, sender }: TemplateOptions): Promise<Changes> {
  return {
    ...(sender === undefined ? {} : { sender: sender === 'none' ? null : sender }),
    ...(subject === undefined ? {} : { subject }),
    ...(textFile === undefined ? {} : { text: await textOf(textFile, `--text-file ${textFile}`) }),
    ...(htmlFile === undefined ? {} : { html: await textOf(htmlFile, `--html-file ${htmlFile}`) }),
  };
}

function languageUnknown(company: number, languages: readonly { id: number; label: string }[]): Refusal {
  const known = languages.map(({ id, label }) => `${id} ${plain(label)}`).join(', ');
  return new Refusal(
    known === ''
      ? `Company ${company} has no languages: set them with company configure --languages.`
      : `--language must be one of the company's: ${known}`,
  );
}

const flagOf = {
  subject: '--subject',
  text: '--text-file',
  html: '--html-file',
  sender: '--sender',
} as const;

const problemText = (problems: readonly templates.TemplateProblem[]): string =>
  problems.map(({ part, problem }) => `${flagOf[part]} ${problem}`).join('\n');

function refusalOf(company: number, rejection: templates.TemplateRejection): Refusal {
  switch (rejection.reason) {
    case 'company-unknown':
      return companyUnknown(company);
    case 'language-unknown':
      return languageUnknown(company, rejection.languages);
    case 'template-invalid':
      return new Refusal(problemText(rejection.problems));
    default:
      return rejection satisfies never;
  }
}

function sender(text: string): Mailbox | 'none' {
  if (text === 'none') return text;
  const mailbox = parseMailbox(text);
  if (!mailbox) throw new InvalidArgumentError('It must be an e-mail address, or Name <address>, or none.');
  return mailbox;
}

export function addCompanyTemplate(company: Command, io: CliIo): void {
  company
    .command('template')
    .description("show the mails of a company's invitations, or set what is named")
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--language <id>', "the id of one of the company's languages", values.positiveInteger)
    .option('--subject <text>', 'the subject')
    .option('--text-file <file>', 'the plain text')
    .option('--html-file <file>', 'the HTML')
    .option('--sender <mailbox>', "Name <a@example.com>; none for the installation's", sender)
    .option('--show', 'show what stands')
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples(
      'rollcall company template --company 7',
      'rollcall company template --company 7 --language 1041 --subject "Hej {{FirstName}}" --text-file hej.txt',
      'rollcall company template --company 7 --language 1041 --sender "HR <hr@example.com>"',
    )
    .action((options: TemplateOptions) => template(io, options));
}
