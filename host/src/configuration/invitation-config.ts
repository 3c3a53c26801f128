import type { InvitationRate, Mailbox } from '@rollcall/application';
import { Type, type Static, type TObject } from 'typebox';
import { parseMailbox, smtpUrlProblem, type MailerChoice, ConfigInvalid } from '@rollcall/adapters';

import { oneOf, requiredFor, type Variables } from './environment.js';

/** For processes that send invitations (docs/administration.md, "Invitations"). */
export const invitationVariables = {
  MAILER: oneOf('file', 'smtp'),
  SMTP_URL: Type.Optional(Type.String()),
  SMTP_URL_FILE: Type.Optional(Type.String()),
  SMTP_CONNECTIONS: Type.Integer({ default: 5, minimum: 1, maximum: 100 }),
  INVITATION_SENDER: Type.Optional(Type.String()),
  INVITATION_URL: Type.Optional(Type.String()),
  INVITATION_RATE: Type.String({ default: '20/10' }),
};

/** Invitations would go into the outbox, and count as sent. */
export const mailerProblems = ({ SMTP_URL, MAILER }: Variables): readonly string[] =>
  SMTP_URL !== undefined && MAILER === undefined
    ? ['SMTP_URL is set and MAILER is not: choose smtp or file']
    : [];

type InvitationVariables = Static<TObject<typeof invitationVariables>>;

export interface InvitationsConfig {
  readonly mailer: MailerChoice;
  /** For companies without their own. */
  readonly sender: Mailbox;
  /** The link in an invitation. `{token}` stands for the token, which is otherwise added as the parameter `token`. */
  readonly linkUrl: string;
  readonly rate: InvitationRate;
}

/** Defaults for the outbox, which is only for trying out. */
const outbox = {
  sender: 'Rollcall <invitations@rollcall.invalid>',
  linkUrl: 'https://surveys.example.com/?token={token}',
};

function mailerOf({ MAILER, SMTP_URL, SMTP_CONNECTIONS }: InvitationVariables): MailerChoice {
  if (MAILER === 'file') return { kind: 'file' };
  const url = requiredFor('MAILER=smtp', 'SMTP_URL', SMTP_URL);
  const problem = smtpUrlProblem(url);
  if (problem !== undefined) throw new ConfigInvalid(`SMTP_URL ${problem}`);
  return { kind: 'smtp', url, connections: SMTP_CONNECTIONS };
}

function senderOf({ MAILER, INVITATION_SENDER }: InvitationVariables): Mailbox {
  const given = MAILER === 'file' ? (INVITATION_SENDER ?? outbox.sender) : INVITATION_SENDER;
  const sender = parseMailbox(requiredFor('MAILER=smtp', 'INVITATION_SENDER', given));
  if (sender === undefined)
    throw new ConfigInvalid('INVITATION_SENDER must be an e-mail address, or Name <address>');
  return sender;
}

function linkUrlOf({ MAILER, INVITATION_URL }: InvitationVariables): string {
  const given = MAILER === 'file' ? (INVITATION_URL ?? outbox.linkUrl) : INVITATION_URL;
  const url = requiredFor('MAILER=smtp', 'INVITATION_URL', given);
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/[\s<>"]/.test(url);
  if (!isWeb) throw new ConfigInvalid('INVITATION_URL must be an http or https URL');
  return url;
}

function rateOf({ INVITATION_RATE }: InvitationVariables): InvitationRate {
  const [, total = '', perCompany = total] = /^(\d{1,6})(?:\/(\d{1,6}))?$/.exec(INVITATION_RATE) ?? [];
  const [most, ofCompany] = [Number(total), Number(perCompany)];
  if (total === '' || ofCompany > most || (ofCompany === 0 && most > 0))
    throw new ConfigInvalid(
      'INVITATION_RATE must be TOTAL or TOTAL/PER_COMPANY, whole numbers a second, the second from 1 to the first',
    );
  return { total: most, perCompany: ofCompany };
}

/** `ConfigInvalid` names the bad or missing variable. */
export const invitationsConfig = (vars: InvitationVariables): InvitationsConfig => ({
  mailer: mailerOf(vars),
  sender: senderOf(vars),
  linkUrl: linkUrlOf(vars),
  rate: rateOf(vars),
});
