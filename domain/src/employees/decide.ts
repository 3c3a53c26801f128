import type { CompanySettings, EmployeeSetSummary, EmployeeValues } from '@rollcall/contracts';
import { type CompanySettingsState, batchLimitAt } from '../companies/index.js';
import { invitationDuePlanner } from '../invitations/invitation-due.js';
import {
  type EmployeeSetChange,
  diffEmployees,
  invitedSummary,
  type InvitedSummary,
  changedSet,
  replacementSource,
  type EmployeeSet,
  indexOfNumber,
} from '@rollcall/employee-lists/set';
import {
  digestVersion,
  type EmployeeList,
  type EmployeeListReading,
  type Digester,
  isComplete,
  readEmployee,
  canonicalBytes,
} from '@rollcall/employee-lists';
import { keepRenames, type KnownEmails } from './renames.js';

export type EmployeeSetRejection =
  | { readonly reason: 'integration-not-allowed' }
  | { readonly reason: 'invalid'; readonly problems: readonly string[] }
  | {
      readonly reason: 'batch-limit-exceeded';
      readonly companyId: number;
      readonly present: number;
      readonly inserted: number;
      readonly removed: number;
      /** Percent. */
      readonly limit: number;
    };

/** The texts for `ValidationErrors` (docs/contract, "Employees": integration, validation, batch limit). */
export function rejectionTexts(rejection: EmployeeSetRejection): readonly string[] {
  switch (rejection.reason) {
    case 'integration-not-allowed':
      return ['Company integration is not allowed'];
    case 'invalid':
      return rejection.problems;
    case 'batch-limit-exceeded':
      return [
        `The batch limit was exceeded: of ${rejection.present} employees present, ${rejection.inserted} would be inserted ` +
          `and ${rejection.removed} removed; at most ${rejection.limit} % may be inserted, and as many removed, in one call. ` +
          `Check that the list is complete, and send it again in smaller steps, or have the limit raised: ` +
          `rollcall company configure --company ${rejection.companyId} --batch-limit none --for 1h --reason TEXT`,
      ];
    default:
      return rejection satisfies never;
  }
}

/** `PUT /v1.0/Company/{companyId}/Employee`. */
export interface ReplaceEmployeeSet {
  readonly companyId: number;
  readonly operationId: string;
  /** SHA-256 of the body as received (unpacked), hex. */
  readonly bodySha256: string;
  /** When the call came in, ms since the epoch: "now" for its invitations. */
  readonly receivedAt: number;
  /** When it is decided, ms since the epoch: a queued import is bound by the limit of the moment when it runs. By default `receivedAt`. */
  readonly decidedAt?: number | undefined;
  /** The outcome that somebody has approved: it may pass the batch limit. */
  readonly approved?: string | undefined;
  /** Null where the body is the last accepted one (`isLastBody`), which need not be read again. */
  readonly reading: EmployeeListReading | null;
  readonly digester: Digester;
  /** `Renames=keep`: the addresses that are known of those who leave. */
  readonly knownEmails?: KnownEmails | undefined;
}

export interface EmployeeSetState {
  readonly settings: CompanySettingsState;
  readonly employees: EmployeeSet;
  /** The body that made the set what it is, or confirmed it last. */
  readonly lastBody: { readonly sha256: string; readonly digestVersion: number } | null;
}

export type EmployeeSetDecision =
  | { readonly kind: 'refused'; readonly rejection: EmployeeSetRejection }
  /** Nothing can be decided without the addresses of these, who leave: indexes in the set. */
  | { readonly kind: 'needs-emails'; readonly of: Uint32Array }
  | {
      readonly kind: 'confirmed';
      readonly summary: EmployeeSetSummary;
      /** Undefined where the body is the last accepted one and was not read again. */
      readonly list: EmployeeList | undefined;
    }
  /** It passes the batch limit, and the company has such imports approved. */
  | {
      readonly kind: 'held';
      readonly summary: EmployeeSetSummary;
      readonly present: number;
      readonly limit: number;
    }
  | {
      readonly kind: 'replaced';
      readonly summary: EmployeeSetSummary;
      readonly list: EmployeeList;
      readonly change: EmployeeSetChange;
      /** The event's data as JSON text. */
      readonly source: { chunks(): Iterable<Uint8Array> };
      readonly after: EmployeeSet;
      /** Reads the body once more. */
      readonly invited: () => InvitedSummary;
    };

function confirmed(command: ReplaceEmployeeSet, set: EmployeeSet, list?: EmployeeList): EmployeeSetDecision {
  const { count, lastNumber, setDigest } = set;
  const counts = { inserted: 0, updated: 0, removed: 0, total: count };
  return { kind: 'confirmed', summary: { ...identity(command), ...counts, lastNumber, setDigest }, list };
}

const identity = (
  command: ReplaceEmployeeSet,
): Pick<EmployeeSetSummary, 'operationId' | 'bodySha256' | 'digestVersion'> => ({
  operationId: command.operationId,
  bodySha256: command.bodySha256,
  digestVersion,
});

/** By the rules of today: such a body is valid and changes nothing. */
export const isLastBody = (bodySha256: string, { lastBody }: Pick<EmployeeSetState, 'lastBody'>): boolean =>
  lastBody?.sha256 === bodySha256 && lastBody.digestVersion === digestVersion;

/** Checks integration, every element, then the batch limit (docs/contract, "Employees"). `isLastBody`: changes nothing. */
export function decideEmployeeSet(command: ReplaceEmployeeSet, state: EmployeeSetState): EmployeeSetDecision {
  const { settings } = state;
  if (settings.status === 'unconfigured' || !settings.settings.integrationEnabled) {
    return { kind: 'refused', rejection: { reason: 'integration-not-allowed' } };
  }
  if (isLastBody(command.bodySha256, state)) return confirmed(command, state.employees);
  const { reading } = command;
  if (reading === null) throw new TypeError('A body that is not the last accepted one was not read');
  if (reading.status === 'invalid') {
    return { kind: 'refused', rejection: { reason: 'invalid', problems: reading.problems } };
  }
  return decideList(command, reading.list, state.employees, settings.settings);
}

function changeOf({ knownEmails, digester }: ReplaceEmployeeSet, list: EmployeeList, set: EmployeeSet) {
  const change = diffEmployees(list, set);
  return knownEmails === undefined ? change : keepRenames({ list, change, set }, knownEmails, digester);
}

function decideList(
  command: ReplaceEmployeeSet,
  list: EmployeeList,
  set: EmployeeSet,
  settings: CompanySettings,
): EmployeeSetDecision {
  const change = changeOf(command, list, set);
  if ('unknown' in change) return { kind: 'needs-emails', of: change.unknown };
  const counts = {
    inserted: change.added.length,
    updated: (change.changed.length + change.renamed.length) / 2,
    removed: change.left.length,
  };
  if (counts.inserted + counts.updated + counts.removed === 0) return confirmed(command, set, list);
  const after = changedSet(set, list, change, command.digester);
  const { lastNumber, setDigest } = after;
  const summary = { ...identity(command), ...counts, total: after.count, lastNumber, setDigest };
  const size = { present: set.count, ...counts };
  const limit = passedBatchLimit(size, settings, command.decidedAt ?? command.receivedAt);
  if (limit !== undefined && command.approved !== employeesOutcome(summary)) {
    const { companyId } = command;
    return settings.overLimit === 'hold'
      ? { kind: 'held', summary, present: set.count, limit }
      : { kind: 'refused', rejection: { reason: 'batch-limit-exceeded', companyId, limit, ...size } };
  }
  const plan = invitationDuePlanner(settings, command.receivedAt);
  return {
    kind: 'replaced',
    summary,
    list,
    change,
    after,
    source: replacementSource({ summary, list, set, change, plan }),
    invited: () => invitedSummary(list, change.added, plan),
  };
}

/** Equal where two decisions on one set come to the same change: what a preview and an approval stand for. */
export const employeesOutcome = ({ inserted, updated, removed, setDigest }: EmployeeSetSummary): string =>
  `${inserted}-${updated}-${removed}-${setDigest}`;

interface BatchSize {
  readonly present: number;
  readonly inserted: number;
  readonly removed: number;
}

/**
 * The limit in force that is passed, in percent; undefined where none is. Inserted and removed are each compared with it: a swap of all
 * does not pass (docs/contract, "Batch limit").
 */
export function passedBatchLimit(
  { present, inserted, removed }: BatchSize,
  settings: Pick<CompanySettings, 'batchLimit' | 'batchLimitFrom' | 'batchLimitThen'>,
  now: number,
): number | undefined {
  const limit = batchLimitAt(settings, now);
  if (limit === null || present < settings.batchLimitFrom) return undefined;
  // Decimals such as 4.6 are no binary fractions: 4.6 % of 1,500 are 69.
  return Math.max(inserted, removed) * 100 > Number((limit * present).toPrecision(12)) ? limit : undefined;
}

export const isPresent = (set: EmployeeSet, number: number): boolean => indexOfNumber(set, number) >= 0;

export function numberWithId(set: EmployeeSet, digester: Digester, id: string): number | undefined {
  const words = new Uint32Array(4);
  digester.idDigestOf(id, words, 0);
  const index = set.ids.find(words, 0);
  return index < 0 ? undefined : set.numbers[index];
}

/** The document's values; undefined where the set, which is the truth, has others: the document is older or newer. */
export function valuesInForce(
  set: EmployeeSet,
  digester: Digester,
  number: number,
  document: unknown,
): EmployeeValues | undefined {
  const reading = readEmployee(document);
  if (!isComplete(reading)) return undefined;
  const { values } = reading;
  const words = new Uint32Array(4);
  digester.idDigestOf(values.EmployeeID, words, 0);
  const index = set.ids.find(words, 0);
  if (index < 0 || set.numbers[index] !== number) return undefined;
  digester.valuesDigestOf(canonicalBytes(values), words, 0);
  return words.every((word, at) => word === set.digests[index * 4 + at]) ? values : undefined;
}
