import { loadEvent, notProjected, type LoadedEvent } from '@rollcall/application';
import type { CompanySettings, EventName } from '@rollcall/contracts';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import { WrongUse } from '../refusal.js';
import { withSession, type Session } from '../session.js';
import { settingChanges, type SettingChange } from './company-text.js';

export interface LogOptions {
  readonly company: number;
  readonly from?: string;
  readonly to?: string;
  readonly type?: readonly EventName[];
  readonly json?: boolean;
}

function isWanted({ name, metadata }: LoadedEvent, options: LogOptions): boolean {
  const { recordedAt, companyId } = metadata;
  const { company, from = '', to = '~', type } = options;
  return companyId === company && recordedAt >= from && recordedAt <= to && (type?.includes(name) ?? true);
}

interface Shown {
  readonly event: LoadedEvent;
  readonly changes: readonly SettingChange[] | undefined;
}

const settingsIn = async (event: LoadedEvent, company: number): Promise<CompanySettings | undefined> =>
  event.name === 'CompanyConfigured' && event.metadata.companyId === company
    ? (await event.data('CompanyConfigured')).settings
    : undefined;

/** In log order: its own stream, operations, invitations, surveys and API users. */
async function* companyEvents({ log }: Session, options: LogOptions): AsyncIterable<Shown> {
  let settings: CompanySettings | undefined;
  const end = new AbortController();
  for await (const item of log.subscribeToAll({
    after: undefined,
    withoutStreams: notProjected,
    signal: end.signal,
  })) {
    if (item.kind === 'caught-up') return end.abort();
    const event = loadEvent(log, item.event);
    const before = settings;
    settings = (await settingsIn(event, options.company)) ?? settings;
    const changes =
      settings === undefined || settings === before ? undefined : settingChanges(before, settings);
    if (isWanted(event, options)) yield { event, changes };
  }
}

function entryOf({ event: { stream, revision, name, metadata }, changes }: Shown) {
  const { recordedAt, receivedAt, operationId, userId, username, causationId, reason } = metadata;
  const who = { userId, username, ...(reason === undefined ? {} : { reason }) };
  const what = changes === undefined ? {} : { changes };
  return { recordedAt, type: name, stream, revision, ...who, operationId, receivedAt, causationId, ...what };
}

const changeText = ({ setting, before, after }: SettingChange): string =>
  ` ${setting} ${before === null ? '' : `${JSON.stringify(before)} -> `}${JSON.stringify(after)}`;

/** Quotes names and reasons: somebody typed them, and the line goes to a terminal. */
function lineOf({ recordedAt, type, stream, revision, ...entry }: ReturnType<typeof entryOf>): string {
  const who = `by ${entry.userId === null ? '' : `user ${entry.userId} `}${JSON.stringify(entry.username)}`;
  const call = `call ${entry.operationId} of ${entry.receivedAt}`;
  const reason = entry.reason === undefined ? '' : ` because ${JSON.stringify(entry.reason)}`;
  const changes = (entry.changes ?? []).map(changeText).join('');
  return `${recordedAt} ${type} ${stream}@${revision} ${who} ${call}${changes}${reason}`;
}

/** With `--json` the lines are the elements of one object's `events`. */
export async function auditLog(io: CliIo, options: LogOptions): Promise<void> {
  const { from = '', to = '~' } = options;
  if (from > to) throw new WrongUse('--from must not be after --to.');
  await withSession(io, async (session) => {
    await requireCompany(session, options.company);
    let between = `{"companyId":${options.company},"events":[\n`;
    for await (const event of companyEvents(session, options)) {
      const entry = entryOf(event);
      await io.out(options.json ? `${between}${JSON.stringify(entry)}` : `${lineOf(entry)}\n`);
      between = ',\n';
    }
    if (options.json) await io.out(between === ',\n' ? '\n]}\n' : `${between}]}\n`);
  });
}
