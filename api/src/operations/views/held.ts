import {
  decideHeldImport,
  heldAndBehind,
  type ListedImport,
  previewRows,
  readPayload,
} from '@rollcall/application';
import type { ImportQueued, PreviewRow } from '@rollcall/contracts';
import { holdEnds } from '@rollcall/domain';
import { HttpError } from '../../http/errors.js';
import { type ActionAsk, type Ask, contextOf, countRead } from '../frame/ask.js';
import type { Sent } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Acted } from '../frame/page-app.js';
import { momentText } from '../frame/moments.js';
import { numberText } from '../frame/numbers.js';
import { rowsOfDifference } from '../imports/difference-view.js';
import { pathOfImport } from '../imports/import-list-view.js';
import type { ImportView } from '../imports/import-view.js';
import { decisionsOf, offer, untilShown } from './import-actions.js';
import { overLimit } from '../imports/over-limit.js';
import { shownRows } from '../uploads/shown-rows.js';
import { requestOf } from '../uploads/uploaded.js';

type Held = Pick<ImportView, 'one' | 'life' | 'times'>;

/** What waits, what it would do, and the two forms that decide; of an import behind it, what it waits for. */
export async function heldView(ask: Ask, { one, life, times }: Held, sent?: Sent): Promise<Html> {
  if (one.state === 'waiting') return behindHold(ask, one);
  const hold = life.events.findLast(({ type }) => type === 'ImportHeld');
  if (one.state !== 'held' || hold === undefined) return nothing;
  const outcome = String(hold.facts['outcome']);
  const fact = (name: string): number => Number(hold.facts[name]);
  const [inserted, removed, updated] = [fact('inserted'), fact('removed'), fact('updated')];
  const counts = { Removed: removed, Added: inserted, Updated: updated };
  const over = overLimit({ inserted, removed, present: fact('present'), limit: fact('limit') });
  const updates = updated === 0 ? '' : `, update ${numberText(updated)}`;
  const approve = {
    ...{ action: 'approve', name: 'Approve it', explained: 'Exactly this is applied.' },
    ...{ button: `${over.button}${updates} and apply`, isDestructive: true, typed: over.count },
    hidden: { outcome, most: String(over.count) },
  };
  const reject = {
    ...{ action: 'reject', name: 'Reject it', explained: 'It changes nothing. It can be tried again later.' },
    ...{ button: 'Reject this import: nothing is changed', hidden: { outcome } },
  };
  return html`<p class="notice">
      ${over.what} It would update ${numberText(updated)}. Imports of this company that came later wait behind
      it. Without a decision it is cancelled on
      ${momentText(holdEnds({ since: hold.by.recordedAt }), times.timeZone)}.
    </p>
    ${
      ask.operator.role === 'Operator'
        ? html`<div class="actions">${offer(ask, one, approve, sent)} ${offer(ask, one, reject, sent)}</div>`
        : nothing
    }
    ${life.queued === undefined ? nothing : await whatChanges(ask, one, counts, rowsOfOutcome(ask, one, life.queued, outcome))}
    <p class="sign">Approved or rejected by (name, date, signature):</p>`;
}

/** A rename is counted as an update. */
const wordOf = ({ Change }: PreviewRow) =>
  Change === 'Removed' ? 'Removed' : Change === 'Inserted' ? 'Added' : 'Updated';

async function behindHold({ kit }: Ask, { companyId, operationId }: ListedImport): Promise<Html> {
  const [held, ...behind] = await heldAndBehind(kit.readModels, companyId);
  if (held === undefined || !behind.includes(operationId)) return nothing;
  return html`<p class="notice">
    It waits behind <a href="${pathOfImport({ operationId: held })}">a held import</a>, until somebody
    approves or rejects that one.
  </p>`;
}

async function whatChanges(
  ask: Ask,
  one: ListedImport,
  counts: Readonly<Record<ReturnType<typeof wordOf>, number>>,
  read: Promise<readonly PreviewRow[]>,
) {
  const rows = await read.catch((error: unknown) => {
    if (error instanceof HttpError && error.kind === 'unavailable') return undefined;
    throw error;
  });
  if (rows === undefined)
    return html`<p class="notice">What it would do cannot be shown now. Load the page again.</p>`;
  if (rows.length === 0) return nothing;
  const { companyId } = one;
  countRead(ask, { companyId, what: 'what a held import would do', rows: rows.length });
  return html`<h2>${counts.Added + counts.Updated === 0 ? 'Who would be removed' : 'What it would do'}</h2>
    ${Object.entries(counts).map(([word, count]) => {
      const own = rows.filter((row) => wordOf(row) === word);
      const first = own.length < count ? `the first ${own.length} of ` : '';
      return own.length === 0
        ? nothing
        : rowsOfDifference(`${word}: ${first}${numberText(count)}`, own, companyId);
    })}`;
}

/** By the body again, as a dry run, once for what is held. */
async function rowsOfOutcome(
  ask: Ask,
  one: ListedImport,
  queued: ImportQueued,
  held: string,
): Promise<readonly PreviewRow[]> {
  const { kit, company } = ask;
  const { operationId, companyId } = one;
  const key = `${operationId} ${held}`;
  const known = company.heldRows.get(key);
  if (known !== undefined) return known;
  const asked = { ...ask, operationId, receivedAt: new Date(ask.now).toISOString() };
  const { payload } = queued;
  const outcome = await kit.bodies.during(payload.bytes, async () => {
    const body = await readPayload(kit.log, payload);
    return kit.imports.accept(requestOf(asked, queued, body, { companyId }));
  });
  if (outcome.kind !== 'dry-run') return [];
  const rows: PreviewRow[] = [];
  const found = { Removed: 0, Added: 0, Updated: 0 };
  if (outcome.rows !== undefined)
    for await (const row of previewRows(outcome.rows)) if (++found[wordOf(row)] <= shownRows) rows.push(row);
  company.heldRows.set(key, rows);
  return rows;
}

const decided = {
  anew: 'Approved. It is decided anew under the changed settings, and held anew if it is over the limit.',
  approve: 'The import is approved, and runs now. To have it as before, take it back when it is done.',
  reject: 'The import is rejected and changes nothing. To have it after all, try it again.',
} as const;

/** A text where it cannot be decided on any more. */
export const decide =
  (decision: 'approve' | 'reject') =>
  async (
    ask: ActionAsk,
    { companyId, operationId }: ListedImport,
    reason: string,
  ): Promise<Acted | string> => {
    const { outcome } = ask.form;
    const command = { companyId, operationId, decision, outcome };
    const done = await decideHeldImport(decisionsOf(ask), contextOf(ask, companyId, reason), command);
    if (done.kind === 'refused')
      return done.rejection.reason === 'not-held'
        ? 'It is not held any more: somebody has decided'
        : 'The company has changed since, and so has what this import would do: look at it again';
    await untilShown(ask, done.position);
    return { location: pathOfImport({ operationId }), done: decided[done.isOutdated ? 'anew' : decision] };
  };
