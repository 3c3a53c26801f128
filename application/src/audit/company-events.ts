import type { RecordedEvent } from '../ports/event-log.js';

/** Streams that hold events of several companies. */
const isShared = (stream: string): boolean => /^(?:api-users$|apitokens-|surveyids$)/.test(stream);

const companyOf = (metadata: Uint8Array): number =>
  Number(/"companyId":(?<id>\d+)/.exec(Buffer.from(metadata).toString('latin1'))?.groups?.['id']);

/**
 * Whether the event belongs to whole streams of one company: its own, its calls, their bodies and large data, its surveys and
 * invitations; besides, the installation and its anchors. Users, tokens and numbers of surveys are in streams of all companies.
 */
export function isOfCompany({ stream, metadata }: RecordedEvent, companyId: number): boolean {
  if (stream === 'installation' || stream === 'anchors') return true;
  return !isShared(stream) && companyOf(metadata) === companyId;
}
