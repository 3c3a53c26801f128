import { setTimeout as wait } from 'node:timers/promises';
import {
  changeWebhook,
  type EventLog,
  type ImportEngine,
  type ImportOutcome,
  type Notify,
  type WebhookAnswer,
  type WebhookMessage,
} from '@rollcall/application';
import type { WebhookType } from '@rollcall/contracts';
import { runWebhooks } from '@rollcall/worker';
import { callContext } from '../application/decide-and-append.support.js';
import { type Company, people, request } from '../application/imports.support.js';

export interface Received {
  readonly url: string;
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const received = ({ url, id, body }: WebhookMessage): Received => {
  const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
  return { url, id, type, data };
};

export async function addWebhook(
  { log, clock }: Pick<Company, 'log' | 'clock'>,
  url: string,
  types: readonly WebhookType[] = ['import.completed', 'import.failed'],
  companyId = 7,
): Promise<void> {
  const outcome = await changeWebhook({ log, clock }, callContext(), {
    kind: 'add',
    companyId,
    url,
    types,
  });
  if (outcome.kind === 'refused') throw new Error('the webhook is refused');
}

export interface RunningWebhooks {
  /** As a signal that ends the process in order. */
  stop(): Promise<void>;
}

/** A worker's webhooks on a log; time passes only as the clock says, and sleeps are short. */
export function startWebhooks(
  { clock, snapshots }: Pick<Company, 'clock' | 'snapshots'>,
  log: EventLog,
  send: (message: WebhookMessage) => Promise<WebhookAnswer>,
  notify: Notify = () => Promise.resolve({ accepted: false, problem: 'no mail server' }),
): RunningWebhooks {
  const end = new AbortController();
  const logger = { warn: () => undefined, error: () => undefined, info: () => undefined };
  const ended = runWebhooks({
    ...{ log, snapshots, clock, logger, signal: end.signal, sender: { send }, notify },
    digestKey: Buffer.alloc(32, 5),
    sleep: (_ms, signal) => wait(1, undefined, { signal }).catch(() => undefined),
  });
  return {
    stop: async () => {
      end.abort();
      await ended;
    },
  };
}

/** Imports a list of one employee, another one each time; its operation. */
export async function importOne(on: Company, employee: number, engine = on.engine()): Promise<string> {
  const outcome = await engine.accept(request('employees', people(employee)));
  if (outcome.kind !== 'done') throw new Error(`the import is ${outcome.kind}`);
  return outcome.operationId;
}

/** Of an engine that has the company in memory: as many calls with one append; their operations in the order of the log. */
export async function importMany(engine: ImportEngine, count: number): Promise<readonly string[]> {
  const requests = Array.from({ length: count }, (_, n) => request('employees', people((n % 2) + 1)));
  const outcomes: (ImportOutcome | undefined)[] = [];
  for (const outcome of await engine.acceptTogether(requests)) outcomes.push(await outcome);
  return outcomes.map((outcome) => {
    if (outcome?.kind !== 'done') throw new Error(`the import is ${outcome?.kind ?? 'not taken'}`);
    return outcome.operationId;
  });
}
