export { openFileMailer, type FileMailerOptions } from './file-mailer.js';
export { parseMailbox } from './compose.js';
export {
  MailerUnusable,
  type Mail,
  type Mailbox,
  type Mailer,
  type MailOutcome,
  type SendOptions,
} from '@rollcall/application';
export { openSmtpMailer, smtpUrlProblem, type SmtpMailerOptions } from './smtp-mailer.js';
