import {
  isCompanyHasWork,
  areInvitationsDue,
  type CompanyHasWork,
  type InvitationsAreDue,
} from '@rollcall/contracts';
import { parsedJson } from '@rollcall/employee-lists/text';

/** At least once, unordered, and it may lose everything: consumers look in the log for work (design: "Imports in order"). */

export const queueNames = ['imports', 'invitations'] as const;
export type QueueName = (typeof queueNames)[number];

/** The default; an unsettled delivery is delivered again after it. */
export const ACK_DEADLINE_MS = 30_000;

/** Messages carry ids, never payloads. */
export const MAX_MESSAGE_BYTES = 65_536;

export interface QueuePublisher {
  /**
   * Resolves when the message is as durable as the queue promises; after `QueueUnavailable` it may or may not be there. Equal waiting
   * messages may become one: promised is one delivery of this body that begins after this call. `RangeError` above `MAX_MESSAGE_BYTES`.
   */
  publish(queue: QueueName, body: Uint8Array): Promise<void>;
}

/**
 * Unsettled, it is delivered again after the deadline: by NATS to any consumer, by the embedded queue to one of the same
 * process, so a killed process loses its deliveries. Settling it late is harmless.
 */
export interface Delivery {
  readonly body: Uint8Array;
  /** From 1; deliveries of messages that became one with this may count too. */
  readonly attempt: number;
  ack(): Promise<void>;
  /** Delivers it again after the delay. */
  nak(delayMs: number): Promise<void>;
  /** The deadline starts anew. */
  working(): Promise<void>;
  /** The message itself is wrong: never deliver it again. */
  term(): Promise<void>;
}

export interface ConsumeOptions {
  /** Ends the iteration. Delivered messages can still be settled; others are delivered again. */
  readonly signal: AbortSignal;
  /** Fetches no more while this many deliveries are unsettled, expired ones not counted. */
  readonly maxUnsettled: number;
}

interface QueueConsumer {
  /** Deliveries until the signal aborts or the queue closes. Throws `QueueUnavailable`. */
  consume(queue: QueueName, options: ConsumeOptions): AsyncIterable<Delivery>;
}

export interface QueueDepth {
  readonly waiting: number;
  /** Includes expired deliveries until they are delivered again. */
  readonly unsettled: number;
  /** Why the queue refused this process's message, until it takes it: `depth` sends it again. */
  readonly refusal?: string;
}

export interface Queue extends QueuePublisher, QueueConsumer {
  readonly ackDeadlineMs: number;
  /** A server may count a message a moment after its answer to `publish`. */
  depth(queue: QueueName): Promise<QueueDepth>;
  /** Ends all iterations and returns what is unsettled. */
  close(): Promise<void>;
}

export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

/** The server refuses the user or the configuration: a retry does not help, a person has to. The message says what to do. */
export class QueueRefused extends QueueUnavailable {}

export function checkBody(body: Uint8Array): void {
  if (body.byteLength <= MAX_MESSAGE_BYTES) return;
  throw new RangeError(`A message of ${body.byteLength} bytes is over the limit of ${MAX_MESSAGE_BYTES}`);
}

export function checkMaxUnsettled(maxUnsettled: number): void {
  if (Number.isSafeInteger(maxUnsettled) && maxUnsettled > 0) return;
  throw new RangeError('maxUnsettled is an integer from 1');
}

export function wholeDelay(delayMs: number): number {
  if (Number.isFinite(delayMs) && delayMs >= 0) return Math.ceil(delayMs);
  throw new RangeError('The delay of a nak is a number of milliseconds from 0');
}

/** On the queue `imports`: look for a pending import; `revision` is that of an `ImportQueued` that the sender knows as pending. */
export const companyHasWork = (companyId: number, revision: number): Uint8Array =>
  Buffer.from(JSON.stringify({ type: 'company-has-work', companyId, revision } satisfies CompanyHasWork));

export function workOf(body: Uint8Array): CompanyHasWork | undefined {
  const message = parsed(body);
  return isCompanyHasWork(message) ? message : undefined;
}

/** On the queue `invitations`: look whether these employees' invitations are due (`maxDueInvitations` at most). */
export const invitationsAreDue = (companyId: number, numbers: readonly number[]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      type: 'invitations-due',
      companyId,
      numbers: [...numbers],
    } satisfies InvitationsAreDue),
  );

export function dueInvitationsOf(body: Uint8Array): InvitationsAreDue | undefined {
  const message = parsed(body);
  return areInvitationsDue(message) ? message : undefined;
}

const parsed = (body: Uint8Array): unknown => parsedJson(Buffer.from(body).toString());
