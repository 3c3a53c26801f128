import { appendLine } from '@rollcall/adapters';
import {
  anchorIfDue,
  Loggable,
  newestAnchor,
  repeatedly,
  type Anchor,
  type EventLog,
  type MakeAnchorDeps,
  type ProcessLogger,
  type Sleep,
} from '@rollcall/application';

const LOOK_EVERY_MS = 60_000;
const POST_MS = 10_000;

export interface AnchorsConfig {
  /** Each new anchor becomes a line at the end of this file. */
  readonly file: string | undefined;
  /** Each new anchor is posted here. */
  readonly url: string | undefined;
}

export interface HourlyAnchorsDeps extends MakeAnchorDeps {
  readonly log: EventLog;
  readonly anchors: AnchorsConfig;
}

interface Target {
  readonly deliver: (line: string) => Promise<void>;
  /** The newest anchor that it has. */
  delivered?: string;
}

/** Anchors the log once an hour, in one of its workers, and hands the newest anchor on, whichever worker made it. */
export class HourlyAnchors {
  readonly #deps: HourlyAnchorsDeps;
  readonly #targets: readonly Target[];
  #own: Anchor | undefined;

  constructor(deps: HourlyAnchorsDeps) {
    this.#deps = { ...deps, key: () => deps.key().catch(failing(NO_KEY)) };
    const { file, url } = deps.anchors;
    const all = [[file, appendLine, NO_FILE] as const, [url, post, 'ANCHOR_URL was not reached'] as const];
    this.#targets = all.flatMap(([to, deliver, what]) =>
      to === undefined ? [] : [{ deliver: (line: string) => deliver(to, line).catch(failing(what)) }],
    );
  }

  /** Each part is tried, whatever became of the others; what failed is due at the next look. Throws the first failure. */
  async look(): Promise<void> {
    const failures: unknown[] = [];
    const tried = (work: () => Promise<unknown>): Promise<unknown> =>
      work().catch((error: unknown) => failures.push(error));
    await tried(async () => (this.#own = (await anchorIfDue(this.#deps, this.#own)) ?? this.#own));
    if (this.#targets.length > 0)
      await tried(async () => {
        const anchor = await newestAnchor(this.#deps.log);
        if (anchor === undefined) return;
        await Promise.all(this.#targets.map((target) => tried(() => handOn(target, anchor))));
      });
    if (failures.length > 0) throw failures[0];
  }
}

const NO_KEY = 'keys/anchor.pem: let this user make it, or run rollcall audit anchor once';
const NO_FILE = 'ANCHOR_FILE: its folder must exist and have room, and this user may append to it';

/** Files and connections report a code alone. */
const failing = (what: string) => (error: Error & { code?: unknown; cause?: { code?: unknown } }) => {
  if (error instanceof Loggable) throw error;
  const code = [error.cause?.code, error.code].find((each) => typeof each === 'string');
  throw new Loggable(`${what} (${code ?? error.name})`, { cause: error });
};

async function handOn(target: Target, anchor: Anchor): Promise<void> {
  if (target.delivered === anchor.signature) return;
  await target.deliver(`${JSON.stringify(anchor)}\n`);
  target.delivered = anchor.signature;
}

async function post(url: string, body: string): Promise<void> {
  const headers = new Headers({ 'content-type': 'application/json' });
  // fetch refuses an address with user and password.
  const address = new URL(url);
  const user = decodeURIComponent(`${address.username}:${address.password}`);
  if (user !== ':') headers.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`);
  address.username = address.password = '';
  const signal = AbortSignal.timeout(POST_MS);
  // `fetch` follows most redirects by a GET, without the anchor.
  const answer = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
  await answer.body?.cancel();
  if (!answer.ok) throw new Loggable(`ANCHOR_URL answered ${answer.status}`);
}

interface RunAnchorsOptions extends HourlyAnchorsDeps {
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Looks every minute until the signal aborts. */
export function runAnchors(options: RunAnchorsOptions): Promise<void> {
  const anchors = new HourlyAnchors(options);
  const times = { firstMs: LOOK_EVERY_MS, everyMs: LOOK_EVERY_MS };
  const message = 'the log was not anchored, or its anchor not handed on';
  return repeatedly({ ...options, ...times, message }, () => anchors.look());
}
