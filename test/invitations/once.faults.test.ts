import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStores, type Stores } from '@rollcall/adapters';
import { OpenInvitations } from '@rollcall/application';
import t, { type Test } from 'tap';
import { dice, type Roll } from '../faults/caller.js';
import { Child, torment } from '../order/child.js';
import { startChildServer } from '../servers/child-server.js';
import { MailServer, type MailBehaviour } from '../servers/mail-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { person } from './sender.support.js';
import { openInvitations } from '../support/open-invitations.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const people = scale >= 1 ? Math.round(10_000 * scale) : Math.max(150, Math.round(2_000 * scale));
const workers = 3;
const companyId = 1;
const due = Date.parse('2027-03-01T08:00:00Z');
const minute = 60_000;
const longestMs = 900_000;
/** Of one worker, so that there is time to kill it. */
const perSecond = Math.ceil(people / 20);
const pauseMs = 2_500;
/** How far the clock moves each time it does; a pause is longer than a claim. */
const stepMs = 2 * minute;
const stepEveryMs = 400;

const worker = fileURLToPath(new URL('./child-worker.js', import.meta.url));

interface Stack {
  readonly stores: Stores;
  readonly mail: MailServer;
  readonly workers: readonly Child[];
  readonly put: (ids: readonly number[]) => Promise<void>;
  readonly setClock: (ms: number) => Promise<void>;
}

async function startStack(t: Test): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-once-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const [token = ''] = await prepareDataDir(dataDir, [companyId]);
  const api = await startChildServer({ dataDir, env: { INVITATION_RATE: '0' } });
  t.teardown(() => api.kill());
  const mail = await MailServer.start();
  t.teardown(() => mail.close());
  const stores = await openStores(embeddedAdapters(dataDir));
  t.teardown(() => stores.close());
  const clockFile = join(dataDir, 'clock');
  const setClock = async (ms: number): Promise<void> => {
    await writeFile(`${clockFile}.new`, String(ms));
    await rename(`${clockFile}.new`, clockFile);
  };
  const env = () => ({
    DATA_DIR: dataDir,
    CLOCK_FILE: clockFile,
    SMTP_URL: mail.url,
    PER_SECOND: String(perSecond),
  });
  const children = Array.from({ length: workers }, () => new Child(worker, env));
  for (const child of children) t.teardown(() => child.kill());
  const put = async (ids: readonly number[]): Promise<void> => {
    const answer = await fetch(`${api.url}/v1.0/Company/${companyId}/Employee`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(
        ids.map((id) => person(`E-${id}`, { InvitationDate: new Date(due).toISOString() })),
      ),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    const position = (await stores.log.lastPosition()) ?? 0n;
    if (!(await stores.readModels.reachedPosition(position, 60_000)))
      throw new Error('the read models do not follow');
  };
  return { stores, mail, workers: children, put, setClock };
}

/** Mostly a good server; while `mood.ends` is false it has all the moods that a mail server can have. */
function moody(roll: Roll, mood: { ends: boolean }): () => MailBehaviour {
  const moods: readonly MailBehaviour[] = [
    { kind: 'refuse', code: 451, at: 'RCPT' },
    { kind: 'refuse', code: 452, at: 'DATA' },
    { kind: 'drop', accepted: true },
    { kind: 'drop', accepted: false },
    { kind: 'slow', ms: 300 },
  ];
  return () => (mood.ends ? undefined : moods[roll(40)]) ?? { kind: 'accept' };
}

/** Moves the clock on until no invitation is open any more: deferrals pass, and claims of those who were killed. */
async function untilNothingIsDue({ stores, setClock }: Stack, mood: { ends: boolean }): Promise<void> {
  const open = new OpenInvitations();
  let left = 0;
  let rounds = 0;
  const isOver = async (): Promise<boolean> => {
    left = (await openInvitations(stores.readModels, open)).length;
    if (left === 0) return true;
    await setClock(due + rounds * stepMs);
    if (rounds === 30) mood.ends = true;
    rounds += 1;
    return false;
  };
  const what = (): string => `${left} invitations come to an end`;
  await until(what, isOver, { withinMs: longestMs, everyMs: stepEveryMs });
}

t.setTimeout(3_600_000);

t.test(`${people} invitations, ${workers} workers killed and paused`, async (t) => {
  t.comment(`TEST_SEED=${seed}`);
  const roll = dice(seed);
  const stack = await startStack(t);
  const everybody = Array.from({ length: people }, (_, index) => index);
  const gone = everybody.filter((id) => id % 10 === 3);
  const refused = everybody.filter((id) => id % 50 === 7);
  const present = everybody.filter((id) => !gone.includes(id));
  await stack.setClock(due - minute);
  await stack.put(everybody);
  for (const child of stack.workers) await child.start();
  await stack.put(present);

  const mood = { ends: false };
  const behave = moody(roll, mood);
  const never = new Set(refused.map((id) => `e-${id}@example.com`));
  stack.mail.behave = (to) => (never.has(to) ? { kind: 'refuse', code: 550, at: 'RCPT' } : behave());
  const stop = new AbortController();
  const told = torment(stack.workers, roll, { pauseMs, signal: stop.signal });
  await untilNothingIsDue(stack, mood);
  stop.abort();
  const { kills, pauses } = await told;
  t.comment(`${kills} kills, ${pauses} pauses, ${stack.mail.delivered.length} mails`);
  t.ok(kills > 0 && pauses > 0, `workers were killed and paused: ${kills} and ${pauses} times`);

  const idsOf = new Map<string, Set<string>>();
  for (const { to, messageId } of stack.mail.delivered)
    idsOf.set(to, (idsOf.get(to) ?? new Set()).add(messageId));
  const invited = present.filter((id) => !refused.includes(id)).map((id) => `e-${id}@example.com`);
  t.strictSame([...idsOf.keys()].sort(), invited.sort(), 'everybody who is there, nobody who left');
  t.strictSame(
    [...idsOf].filter(([, ids]) => ids.size !== 1),
    [],
    'each under one Message-ID',
  );
  const all = new Set(stack.mail.delivered.map(({ messageId }) => messageId));
  t.equal(all.size, invited.length, 'and each under one of its own');
});
