import { exportLog, type ExportManifest, type ExportRequest } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import { answer } from '../output.js';
import { type ProgressBar, withLogBar } from '../progress-bar.js';
import { WrongUse } from '../refusal.js';
import { withLog } from '../log-session.js';
import { publicAnchorKeys } from './audit-anchor.js';

export interface ExportOptions {
  readonly company?: number;
  readonly all?: boolean;
  readonly out: string;
  readonly json?: boolean;
}

export const bytesOf = ({ files }: { readonly files: readonly { readonly bytes: number }[] }): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

export async function exportWithBar(
  io: CliIo,
  log: EventLog,
  { to, company, publicKeys }: Pick<ExportRequest, 'to' | 'company' | 'publicKeys'>,
): Promise<ExportManifest> {
  const request = { log, to, company, publicKeys, now: () => io.clock.now() };
  const work = (onExported: ProgressBar['show']) => exportLog({ ...request, onExported });
  return withLogBar({ io, log }, work, 'of the log, exported');
}

export async function auditExport(io: CliIo, options: ExportOptions): Promise<void> {
  const { company, all = false, out, json = false } = options;
  if ((company === undefined) !== all)
    throw new WrongUse('Name one company with --company N, or take --all.');
  await withLog(io, async (session) => {
    if (company !== undefined) await requireCompany(session, company);
    const keys = await publicAnchorKeys(session.config, {});
    const publicKeys = [...keys].map(([kid, pem]) => ({ kid, pem }));
    const manifest = await exportWithBar(io, session.log, { to: out, company, publicKeys });
    const bytes = bytesOf(manifest);
    await answer(io, json, { folder: out, bytes, ...manifest }, [
      `${manifest.events} events up to position ${manifest.lastPosition} are in ${out}: ${bytes} bytes. ` +
        'They hold personal data, and no keys.',
    ]);
  });
}
