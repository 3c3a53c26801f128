import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStores, type Stores } from '@rollcall/adapters';
import { OpenInvitations } from '@rollcall/application';
import { verifyReadModels } from '@rollcall/projector';
import t, { type Test } from 'tap';
import { person } from '../invitations/sender.support.js';
import { Child, torment } from '../order/child.js';
import { entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { MailServer } from '../servers/mail-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { bundleOf } from '../support/bundles.js';
import { openInvitations } from '../support/open-invitations.js';
import { Program } from '../support/program.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { caller, dice, type Caller, type Roll } from './caller.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** 30 minutes at full scale, and a minute and a half at a tenth. */
const durationMs = scale >= 1 ? 1_800_000 * scale : Math.max(30_000, 900_000 * scale);
/** How many people each company has: small events, and those that are projected by themselves. */
const sizes = [250, 700, 3_000];
const [projectors, workers] = [2, 3];
const perSecond = 200;
const due = Date.parse('2027-03-01T08:00:00Z');
/** A pause is longer than the claim of a worker, by the clock that moves, and than an active projector may stand still. */
const pauseMs = 2_500;
const stepMs = 120_000;
const stepEveryMs = 400;
const longestMs = 900_000;

const worker = fileURLToPath(new URL('../invitations/child-worker.js', import.meta.url));

/** A company whose people come, change and leave, and do not return. */
class Company {
  readonly #id: number;
  readonly #size: number;
  readonly #roll: Roll;
  readonly #present = new Map<number, string>();
  #last = 0;
  puts = 0;

  constructor(id: number, size: number, roll: Roll) {
    this.#id = id;
    this.#size = size;
    this.#roll = roll;
  }

  async put(call: Caller): Promise<void> {
    this.#change();
    const InvitationDate = new Date(due).toISOString();
    const list = [...this.#present].map(([one, JobTitle]) =>
      person(`C${this.#id}-${one}`, { JobTitle, InvitationDate }),
    );
    const reply = await call('PUT', `/v1.0/Company/${this.#id}/Employee`, list);
    if (reply?.status !== 200) throw new Error(`PUT answered ${reply?.status}: ${reply?.text}`);
    this.puts += 1;
    // What a long list leaves in the log, each rebuild reads.
    if (this.#size > 1_000) await wait(this.#size);
  }

  #change(): void {
    for (const one of this.#present.keys()) {
      const what = this.#roll(100);
      if (what === 0) this.#present.delete(one);
      else if (what < 40) this.#present.set(one, `Title ${this.puts}`);
    }
    const wanted = this.#size + this.#roll(20);
    while (this.#present.size < wanted) this.#present.set((this.#last += 1), 'New');
  }

  addresses(): readonly string[] {
    return [...this.#present.keys()].map((one) => `c${this.#id}-${one}@example.com`);
  }
}

interface Stack {
  readonly dataDir: string;
  readonly stores: Stores;
  readonly mail: MailServer;
  readonly children: readonly Child[];
  readonly callers: readonly Caller[];
  readonly setClock: (ms: number) => Promise<void>;
}

async function startStack(t: Test): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-switches-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const tokens = await prepareDataDir(
    dataDir,
    sizes.map((_, at) => at + 1),
  );
  const mail = await MailServer.start();
  t.teardown(() => mail.close());
  const setClock = async (ms: number): Promise<void> => {
    await writeFile(join(dataDir, 'clock.new'), String(ms));
    await rename(join(dataDir, 'clock.new'), join(dataDir, 'clock'));
  };
  await setClock(due);
  const env = () => ({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    CLOCK_FILE: join(dataDir, 'clock'),
    SMTP_URL: mail.url,
    PER_SECOND: String(perSecond),
  });
  const several = (count: number, entry: string): Child[] =>
    Array.from({ length: count }, () => new Child(entry, env));
  const children = [...several(projectors, entryOf('projector')), ...several(workers, worker)];
  for (const child of children) {
    t.teardown(() => child.kill());
    await child.start();
  }
  const api = await startChildServer({ dataDir, entry: entryOf('api') });
  t.teardown(() => api.kill());
  const stores = await openStores(embeddedAdapters(dataDir));
  t.teardown(() => stores.close());
  return {
    dataDir,
    stores,
    mail,
    children,
    callers: tokens.map((token) => caller(api.url, token)),
    setClock,
  };
}

/** Rebuilds one after the other, every third of which is killed; how many came to their end. */
async function rebuildAgainAndAgain({ dataDir }: Stack, roll: Roll, signal: AbortSignal): Promise<number> {
  let whole = 0;
  for (let count = 0; !signal.aborted; count += 1) {
    const env = { ...process.env, DATA_DIR: dataDir };
    const rebuild = new Program([bundleOf('rollcall'), 'projections', 'rebuild'], { env, quiet: true });
    if (count % 3 === 2) {
      await wait(roll(1_500));
      await rebuild.kill();
    }
    const { code, err } = await rebuild.ended;
    if (code === 0) whole += 1;
    else if (code !== null) throw new Error(`the rebuild ended with ${code}: ${err}`);
  }
  return whole;
}

async function moveClock({ setClock }: Stack, signal: AbortSignal): Promise<number> {
  let now = due;
  for (; !signal.aborted; now += stepMs) {
    await setClock(now);
    await wait(stepEveryMs);
  }
  return now;
}

async function live(stack: Stack, companies: readonly Company[], roll: Roll) {
  const end = AbortSignal.timeout(durationMs);
  const loads = companies.map(async (company, at) => {
    const call = stack.callers[at];
    while (call && !end.aborted) await company.put(call);
  });
  const [told, rebuilds, now] = await Promise.all([
    torment(stack.children, roll, { pauseMs, signal: end }),
    rebuildAgainAndAgain(stack, roll, end),
    moveClock(stack, end),
    ...loads,
  ]);
  return { kills: told.kills, pauses: told.pauses, rebuilds, now };
}

/** Moves the clock on until nothing is open: deferrals pass, and the claims of workers that were killed. */
async function untilNothingIsDue({ stores, setClock }: Stack, from: number): Promise<void> {
  const open = new OpenInvitations();
  let [left, now] = [0, from];
  const isOver = async (): Promise<boolean> => {
    left = (await openInvitations(stores.readModels, open)).length;
    if (left > 0) await setClock((now += stepMs));
    return left === 0;
  };
  const what = (): string => `${left} invitations come to an end`;
  await until(what, isOver, { withinMs: longestMs, everyMs: stepEveryMs });
}

t.setTimeout(5_400_000);

t.test(`two projectors, rebuilds and three workers, killed for ${durationMs / 1_000} s`, async (t) => {
  t.comment(`TEST_SEED=${seed}`);
  const roll = dice(seed);
  const stack = await startStack(t);
  const { log, readModels } = stack.stores;
  const companies = sizes.map((size, at) => new Company(at + 1, size, roll));
  const { kills, pauses, rebuilds, now } = await live(stack, companies, roll);
  const last = (await log.lastPosition()) ?? 0n;
  t.equal(
    await readModels.reachedPosition(last, longestMs),
    true,
    'the read models come to the end of the log',
  );
  await untilNothingIsDue(stack, now);
  const verdict = await verifyReadModels({ log, readModels });
  const puts = companies.reduce((sum, company) => sum + company.puts, 0);
  const { delivered } = stack.mail;
  t.comment(
    `${puts} imports, ${kills} kills, ${pauses} pauses, ${rebuilds} rebuilds, ${delivered.length} mails`,
  );
  t.match(verdict, { kind: 'same' }, 'they are what one projector makes of the log');
  t.ok(kills > 0 && pauses > 0 && rebuilds > 0);

  const idsOf = new Map<string, Set<string>>();
  for (const { to, messageId } of delivered) idsOf.set(to, (idsOf.get(to) ?? new Set()).add(messageId));
  const present = companies.flatMap((company) => company.addresses());
  t.strictSame(
    present.filter((to) => !idsOf.has(to)),
    [],
    'everybody who is there was invited',
  );
  t.strictSame(
    [...idsOf].filter(([, ids]) => ids.size !== 1),
    [],
    'each under one Message-ID',
  );
  t.equal(new Set(delivered.map(({ messageId }) => messageId)).size, idsOf.size, 'of its own');
});
