import { readFile } from 'node:fs/promises';
import { parseMailbox } from '@rollcall/adapters';
import {
  readInvitationTemplates,
  setInvitationTemplate,
  type Mailbox,
  type TemplateInForce,
} from '@rollcall/application';

import type { InvitationTemplateSet } from '@rollcall/contracts';
import type { templates } from '@rollcall/domain';
import { InvalidArgumentError, type Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { answer, plain } from '../output.js';
import { Refusal } from '../refusal.js';
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

const template = (io: CliIo, options: TemplateOptions): Promise<void> =>
  withSession(io, (session) => {
    const changes = changing.some((name) => options[name] !== undefined);
    if (options.show && changes) throw new Refusal('--show shows what stands: leave out what is to be set.');
    return changes ? set(session, options) : show(session, options);
  });

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

async function set(session: Session, options: TemplateOptions): Promise<void> {
  const { company: companyId, language, reason, json = false } = options;
  if (language === undefined) throw new Refusal('--language must say which language the mail is in.');
  const changes = await changesOf(options);
  const command = { companyId, language, changes };
  const outcome = await setInvitationTemplate(session, session.context(companyId, reason), command);
  if (outcome.kind === 'refused') throw refusalOf(companyId, outcome.rejection);
  const title = outcome.changed
    ? `The invitation of company ${companyId} in language ${language} is set.`
    : `The invitation of company ${companyId} in language ${language} stood so already.`;
  await answer(session.io, json, { companyId, changed: outcome.changed, template: outcome.template }, [
    title,
  ]);
}

type Changes = Partial<Omit<InvitationTemplateSet, 'language'>>;

async function changesOf({ subject, textFile, htmlFile, sender }: TemplateOptions): Promise<Changes> {
  return {
    ...(sender === undefined ? {} : { sender: sender === 'none' ? null : sender }),
    ...(subject === undefined ? {} : { subject }),
    ...(textFile === undefined ? {} : { text: await contentOf('--text-file', textFile) }),
    ...(htmlFile === undefined ? {} : { html: await contentOf('--html-file', htmlFile) }),
  };
}

async function contentOf(option: string, file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch {
    throw new Refusal(`${option} ${file} cannot be read as UTF-8 text.`);
  }
}

const companyUnknown = (company: number): Refusal => new Refusal(`Company ${company} is not configured.`);

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

function refusalOf(company: number, rejection: templates.TemplateRejection): Refusal {
  switch (rejection.reason) {
    case 'company-unknown':
      return companyUnknown(company);
    case 'language-unknown':
      return languageUnknown(company, rejection.languages);
    case 'template-invalid':
      return new Refusal(
        rejection.problems.map(({ part, problem }) => `${flagOf[part]} ${problem}`).join('\n'),
      );
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
    .option('--reason <text>', 'why, for the audit log')
    .option('--json', 'print one JSON object')
    .action((options: TemplateOptions) => template(io, options));
}
