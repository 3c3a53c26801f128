import type { ImportQuery } from './import-list.js';
import type { Invitation } from '@rollcall/contracts';
import {
  invitationCollections,
  invitationEndings,
  type InvitationEnding,
  type ProgressDocument,
} from '../invitations/documents.js';
import type { OpenInvitations, OpenReader } from '../invitations/open-invitations.js';
import { invitationsOf } from '../invitations/read-invitations.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { inTurn } from '../concurrency.js';
import { fromJson } from '../read-models/documents.js';
import type { Edges } from './activity.js';

type Reader = OpenReader & Pick<ReadModelReader, 'get'>;

/** `from` and `to`: when it ended. */
interface EndedQuery extends Pick<ImportQuery, 'before' | 'from' | 'limit' | 'to'> {
  readonly companyId: number;
  readonly ending: InvitationEnding;
  readonly now: number;
}

/** Sent or failed invitations, the newest first. */
export async function endedInvitations(readModels: Reader, query: EndedQuery) {
  const { companyId, limit, now } = query;
  const ended: Ended[] = [];
  for await (const one of endedNewestFirst(readModels, query)) {
    ended.push(one);
    if (ended.length > limit) break;
  }
  const shown = ended.slice(0, limit);
  const moments = new Map(shown.map(({ number, at }) => [number, at]));
  const rows = await invitationsOf(readModels, { companyId, now }, [...moments.keys()]);
  const last = ended.length > limit ? shown.at(-1) : undefined;
  return {
    rows: rows.map((row) => ({ ...row, EndedAt: moments.get(row.Number) ?? '' })),
    next: last && `${Date.parse(last.at)}-${last.number}`,
  };
}

interface Ended {
  readonly number: number;
  readonly at: string;
}

const cursorIn = (text = ''): readonly number[] => /^(\d+)-(\d+)$/.exec(text)?.map(Number).slice(1) ?? [];

async function* endedNewestFirst(readModels: Reader, query: EndedQuery): AsyncGenerator<Ended> {
  const { companyId, ending, from = 0, to = Date.parse('9999-01-01') } = query;
  const [ms = to, last = -1] = cursorIn(query.before);
  const found = readModels.findByIndex(invitationCollections.progress, 'ended', {
    prefix: [companyId, invitationEndings[ending]],
    from: Math.max(1 - to, -ms),
    upTo: -from,
  });
  for await (const { key, value } of found) {
    const [number, at] = [Number(key[1]), endOf(fromJson(value) as ProgressDocument)];
    // Those of one moment come by number.
    if (Date.parse(at) !== ms || number > last) yield { number, at };
  }
}

const endOf = ({ sentAt, failedAt }: ProgressDocument): string => sentAt ?? failedAt ?? '';

type WaitingQuery = Pick<EndedQuery, 'companyId' | 'limit' | 'now'>;

interface WaitingInvitations {
  /** Of these two one more than the limit where there are more. */
  readonly due: readonly Invitation[];
  /** Tried in vain and tried again later, the next attempt first. */
  readonly deferred: readonly Invitation[];
  /** Planned for a later moment, by the moment (ms). */
  readonly planned: ReadonlyMap<number, number>;
}

/** Invitations that were not sent yet. Knows the open ones from look to look, as a worker does. */
export class InvitationBoard {
  readonly #readModels: Reader;
  readonly #load: () => Promise<OpenInvitations>;
  #open: OpenInvitations | undefined;
  readonly #inTurn = inTurn();

  constructor(readModels: Reader, load: () => Promise<OpenInvitations>) {
    this.#readModels = readModels;
    this.#load = load;
  }

  /** One look after the other: each changes what is known of the open ones. */
  waiting(query: WaitingQuery): Promise<WaitingInvitations> {
    return this.#inTurn(() => this.#look(query));
  }

  async #look({ companyId, now, limit }: WaitingQuery): Promise<WaitingInvitations> {
    const open = (this.#open ??= await this.#load());
    const own = await open.ofCompany(this.#readModels, companyId);
    const due = await own.due(this.#readModels, { now, limit: limit + 1 });
    const deferred = await deferredOf(this.#readModels, { companyId, now, limit: limit + 1 });
    const shown = (numbers: readonly number[]) =>
      invitationsOf(this.#readModels, { companyId, now }, numbers);
    const planned = new Map<number, number>();
    for (const [, count, at] of own.saved.open) if (at > now) planned.set(at, (planned.get(at) ?? 0) + count);
    return {
      due: await shown(due.map(({ number }) => number)),
      deferred: (await shown(deferred)).filter(({ State }) => State !== 'Cancelled'),
      planned,
    };
  }
}

async function deferredOf(readModels: Reader, { companyId, now, limit }: WaitingQuery): Promise<number[]> {
  const found: number[] = [];
  const later = { prefix: [companyId], from: now + 1 };
  for await (const { key, value } of readModels.findByIndex(invitationCollections.progress, 'due', later)) {
    if ((fromJson(value) as ProgressDocument).state === 'deferred') found.push(Number(key[1]));
    if (found.length === limit) break;
  }
  return found;
}

export const plannedIn = ({ planned }: WaitingInvitations, edges: Edges): readonly number[] =>
  edges
    .slice(1)
    .map((to, at) =>
      [...planned].reduce((sum, [due, count]) => sum + (due >= (edges[at] ?? 0) && due < to ? count : 0), 0),
    );
