import type { Command } from '../command.js';
import { webhookTypes, type WebhookType } from '@rollcall/contracts';
import type { CliIo } from '../cli-io.js';
import * as values from '../options/values.js';
import { addWebhook, manageWebhook, testWebhook, type ManageWebhookOptions } from './webhook-manage.js';
import { listWebhooks, showDeliveries } from './webhook-show.js';

const maxShown = 1_000;

const managing = {
  remove: 'end a webhook; undelivered messages are dropped',
  enable: 'deliver to a disabled webhook again, from where it stopped',
  rotate: 'give a webhook a new secret; the old one signs too for 24 hours or until the next rotation',
} as const;

function addReading(group: Command, io: CliIo): void {
  group
    .command('list')
    .description('the webhooks of a company, and whether they accept messages')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .json()
    .examples('rollcall webhook list --company 7')
    .action((options: { company: number; json?: boolean }) => listWebhooks(io, options));
  group
    .command('deliveries')
    .description('what became of the last messages, newest first')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .option('--webhook <id>', 'only of this one', values.positiveInteger)
    .option('--top <count>', `the most lines, up to ${maxShown}`, values.positiveInteger, values.usualTop)
    .json()
    .examples('rollcall webhook deliveries --company 7 --webhook 1')
    .action((options: { company: number; webhook?: number; top: number; json?: boolean }) =>
      showDeliveries(io, { ...options, top: Math.min(options.top, maxShown) }),
    );
}

function addAdding(group: Command, io: CliIo): void {
  group
    .command('add')
    .description('send what happens in a company to a URL; prints the secret that signs the messages')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .requiredOption('--url <url>', 'where messages are sent by POST', values.webhookUrl)
    .requiredOption('--events <types>', `of ${webhookTypes.join(', ')}`, values.webhookTypes)
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples(
      'rollcall webhook add --company 7 --url https://hr.example.com/rollcall --events import.completed,import.failed',
    )
    .action((options: { company: number; url: string; events: readonly WebhookType[] }) =>
      addWebhook(io, options),
    );
}

export function addCommands(group: Command, io: CliIo): void {
  addAdding(group, io);
  for (const [kind, description] of Object.entries(managing))
    group
      .command(kind)
      .description(description)
      .requiredOption('--company <id>', 'the company', values.positiveInteger)
      .requiredOption('--webhook <id>', 'its number, as `webhook list` prints it', values.positiveInteger)
      .option('--reason <text>', 'why, for the audit log', values.reason)
      .json()
      .examples(`rollcall webhook ${kind} --company 7 --webhook 1`)
      .action((options: ManageWebhookOptions) => manageWebhook(io, kind as keyof typeof managing, options));
  group
    .command('test')
    .description('send a message of the type webhook.test at once')
    .requiredOption('--company <id>', 'the company', values.positiveInteger)
    .requiredOption('--webhook <id>', 'its number, as `webhook list` prints it', values.positiveInteger)
    .json()
    .examples('rollcall webhook test --company 7 --webhook 1')
    .action((options: ManageWebhookOptions) => testWebhook(io, options));
  addReading(group, io);
}
