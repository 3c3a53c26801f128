import { type Edges, importActivity, invitationActivity } from '@rollcall/application';
import type { Ask } from '../frame/ask.js';
import { barChart, type Series } from '../frame/chart.js';
import { html, type Html } from '../frame/html.js';
import { momentText } from '../frame/moments.js';
import { numberText } from '../frame/numbers.js';
import { empty } from '../frame/table.js';

const hourMs = 3_600_000;
const hours = 24;

const edgesAt = (now: number): Edges => {
  const end = Math.floor(now / hourMs + 1) * hourMs;
  return Array.from({ length: hours + 1 }, (_, at) => end - (hours - at) * hourMs);
};

/** `09:00`. */
const hourText = (at: number, timeZone: string): string =>
  /\d\d:\d\d/.exec(momentText(at, timeZone))?.[0] ?? '';

const sum = ({ counts }: Pick<Series, 'counts'>): number => counts.reduce((all, count) => all + count, 0);

interface Chart {
  readonly id: string;
  readonly noun: string;
  readonly good: readonly [name: string, counts: readonly number[]];
  readonly bad: readonly [name: string, counts: readonly number[]];
  readonly nothingText: Html;
}

function chartOf({ id, noun, good, bad, nothingText }: Chart, edges: Edges, timeZone: string): Html {
  const series = [
    { name: good[0], counts: good[1] },
    { name: bad[0], counts: bad[1], isBad: true },
  ] as const;
  const sums = series.map((one) => `${numberText(sum(one))} ${one.name.toLowerCase()}`).join(', ');
  const title = `${noun} by hour`;
  if (series.every((one) => sum(one) === 0))
    return html`<h3>${title}</h3>
      ${empty(nothingText)}`;
  const labels = edges.slice(0, -1).map((at) => hourText(at, timeZone));
  const description = `${noun} of the last 24 hours: ${sums}.`;
  return barChart({ id, title, description, unit: 'Hour', labels, series, labelEvery: 4 });
}

export async function activityCharts({ kit, now, operator }: Ask, timeZone: string): Promise<Html> {
  const { readModels } = kit;
  const edges = edgesAt(now);
  const companyId = operator.companyId ?? undefined;
  const [imports, sent, failed] = await Promise.all([
    importActivity(readModels, { companyId, edges }),
    invitationActivity(readModels, { companyId, ending: 'sent', edges }),
    invitationActivity(readModels, { companyId, ending: 'failed', edges }),
  ]);
  const importChart: Chart = {
    ...{ id: 'imports', noun: 'Imports', good: ['Done', imports.done], bad: ['Not done', imports.failed] },
    nothingText: html`No imports in the last 24 hours. A system sends one with
      <code>PUT /v1.0/Company/{id}/Employee</code>.`,
  };
  const invitationChart: Chart = {
    ...{ id: 'invitations', noun: 'Invitations', good: ['Sent', sent], bad: ['Failed', failed] },
    nothingText: html`No invitations in the last 24 hours. New employees get one in the company's business
    hours.`,
  };
  return html`<div class="charts">
    ${[importChart, invitationChart].map((chart) => chartOf(chart, edges, timeZone))}
  </div>`;
}
