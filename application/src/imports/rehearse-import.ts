import {
  type CompanyState,
  previewExpiry,
  previewHour,
  previewIdOf,
  readPreviewId,
  unmetCondition,
} from '@rollcall/domain';
import type { ImportEngineDeps } from './import-deps.js';
import type { StoredRequest } from './accept-import.js';
import type { ImportHandler } from './import-handler.js';
import { storeRows } from './preview-rows.js';
import type { ImportOutcome } from '../ports/imports.js';

/** What the call would do (docs/contract, "Dry run"). Writes nothing but the rows of `details`, into a temporary file. */
export async function rehearseImport(
  deps: ImportEngineDeps,
  request: StoredRequest,
  handler: ImportHandler,
  state: CompanyState,
): Promise<ImportOutcome> {
  const { kind, companyId, body, context, ifMatch, ifPreview } = request;
  const call = { companyId, kind, now: Date.parse(context.receivedAt) };
  const preview = ifPreview === undefined ? null : readPreviewId(ifPreview, call, deps.digester);
  const revision = state.revisions[kind];
  const unmet = unmetCondition({ ifMatch, preview, body }, revision);
  if (unmet) return unmet;
  const rehearsal = await handler.rehearse(state, deps.findRows);
  if (rehearsal.kind === 'refused')
    return { kind: 'refused', errors: rehearsal.rejection.errors, written: undefined };
  const hour = previewHour(call.now);
  const [bodySha256, { outcome }] = [body.sha256, rehearsal];
  const result = {
    ...rehearsal.result,
    PreviewId: previewIdOf({ companyId, kind, bodySha256, revision, outcome, hour }, deps.digester),
    Revision: revision,
    ExpiresOn: new Date(previewExpiry(hour)).toISOString(),
  };
  const rows = request.details ? await storeRows(deps.temporaryFolder, rehearsal.rows()) : undefined;
  return { kind: 'dry-run', result, rows };
}
