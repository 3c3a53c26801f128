import { Buffer } from 'node:buffer';
import type { ImportKind, ImportPreview } from '@rollcall/contracts';
import type { Digester } from '@rollcall/employee-lists';
import { hash } from 'node:crypto';
import type { ManagerRolesEvent } from '../managers/evolve.js';

const hourMs = 60 * 60 * 1000;
const lifetimeHours = 24;

/** What a dry run has shown of one call. */
export interface ShownPreview extends ImportPreview {
  readonly companyId: number;
  readonly kind: ImportKind;
  readonly bodySha256: string;
  /** Of the dry run, since the epoch. */
  readonly hour: number;
}

/** Why an `If-Preview` is no preview of this company and import that still counts. */
export type PreviewProblem = 'unknown' | 'foreign' | 'expired';

export const previewHour = (now: number): number => Math.ceil(now / hourMs);

/** ms since the epoch: 24 hours after the dry run, up to the full hour. */
export const previewExpiry = (hour: number): number => (hour + lifetimeHours) * hourMs;

const signed = (text: string, digester: Digester): string =>
  `${Buffer.from(text).toString('base64url')}.${digester.proofOf(`preview ${text}`, []).toString('base64url')}`;

/** Signed with a key of the installation: every process of it reads it, and nothing is stored. */
export function previewIdOf(preview: ShownPreview, digester: Digester): string {
  const { companyId, kind, bodySha256, revision, outcome, hour } = preview;
  return signed(JSON.stringify([companyId, kind, bodySha256, revision, outcome, hour]), digester);
}

export function readPreviewId(
  id: string,
  { companyId, kind, now }: Pick<ShownPreview, 'companyId' | 'kind'> & { readonly now: number },
  digester: Digester,
): ShownPreview | PreviewProblem {
  const preview = signedPreview(id, digester);
  if (!preview) return 'unknown';
  if (preview.companyId !== companyId || preview.kind !== kind) return 'foreign';
  return previewExpiry(preview.hour) <= now ? 'expired' : preview;
}

function signedPreview(id: string, digester: Digester): ShownPreview | undefined {
  const text = Buffer.from(id.replace(/[.].*/, ''), 'base64url').toString();
  // As text, because base64 has many spellings; as digests, so that the time of the comparison says nothing of it.
  const digestOf = (id: string): Buffer => digester.proofOf('preview', [Buffer.from(id)]);
  if (!digestOf(id).equals(digestOf(signed(text, digester)))) return undefined;
  const [companyId, kind, bodySha256, revision, outcome, hour] = JSON.parse(text) as [
    number,
    ImportKind,
    string,
    number | null,
    string,
    number,
  ];
  return { companyId, kind, bodySha256, revision, outcome, hour };
}

/** What is otherwise than the caller was shown. */
export type PreviewDifference = 'body' | 'revision' | 'outcome';

/** Before the body is decided on: its outcome is compared afterwards. */
export function previewDifference(
  { bodySha256, revision }: Pick<ShownPreview, 'bodySha256' | 'revision'>,
  now: { readonly bodySha256: string; readonly revision: number | null },
): PreviewDifference | undefined {
  if (bodySha256 !== now.bodySha256) return 'body';
  return revision === now.revision ? undefined : 'revision';
}

/** As `employeesOutcome`. */
export const managersOutcome = ({ name, data }: ManagerRolesEvent): string =>
  hash('sha256', JSON.stringify({ ...data, name, operationId: '' }), 'hex').slice(0, 32);
