import { html, nothing, type Html } from './html.js';
import { number, numberText } from './numbers.js';
import { table } from './table.js';

export interface Series {
  readonly name: string;
  /** One for each label. */
  readonly counts: readonly number[];
  /** What needs somebody. */
  readonly isBad?: boolean;
}

interface BarChart {
  /** Names its elements; one a page. */
  readonly id: string;
  readonly title: string;
  /** What is seen, for who does not see it. */
  readonly description: string;
  /** What a label is: "Hour". */
  readonly unit: string;
  readonly labels: readonly string[];
  /** One or two, one on top of the other. */
  readonly series: readonly [Series] | readonly [Series, Series];
  /** 3: every third label is written below the bars. */
  readonly labelEvery?: number;
  readonly short?: (label: string) => string;
}

const width = 720;
const height = 240;
const left = 76;
const bottom = 36;
const top = 26;
const plot = height - bottom - top;

/** 1, 2 or 5 times a power of ten, not below `most`. */
function niceMost(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * power).find((nice) => nice >= most) ?? most;
}

const line = (value: number, most: number): Html => {
  const y = top + plot * (1 - value / most);
  return html`<line x1="${left}" x2="${width}" y1="${y}" y2="${y}" /><text
      x="${left - 8}"
      y="${y + 5}"
      text-anchor="end"
      >${numberText(value)}</text
    >`;
};

function bars({ labels, series }: BarChart, most: number): readonly Html[] {
  const step = (width - left) / labels.length;
  return labels.flatMap((_, at) => {
    let base = 0;
    return series.map(({ counts, isBad }) => {
      const count = counts[at] ?? 0;
      const size = (plot * count) / most;
      base += size;
      if (count === 0) return nothing;
      const kind = isBad === true ? 'bad' : 'good';
      return html`<rect
        class="${kind}"
        x="${left + at * step + step * 0.15}"
        y="${top + plot - base}"
        width="${step * 0.7}"
        height="${size}"
      />`;
    });
  });
}

const names = ({ labels, labelEvery = 1, short = String }: BarChart): readonly Html[] =>
  labels.map((label, at) => {
    if (at % labelEvery !== 0) return nothing;
    const x = left + ((at + 0.5) * (width - left)) / labels.length;
    return html`<text x="${x}" y="${height - 8}" text-anchor="middle">${short(label)}</text>`;
  });

const legend = (series: readonly Series[]): Html =>
  html`<ul class="legend">
    ${series.map(({ name, isBad }) =>
      isBad === true ? html`<li class="bad">${name}, on top</li>` : html`<li class="good">${name}</li>`,
    )}
  </ul>`;

/** Bars from zero, with the numbers behind a disclosure. */
export function barChart(chart: BarChart): Html {
  const { id, title, description, labels, series, unit } = chart;
  const sums = labels.map((_, at) => series.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0));
  const most = niceMost(Math.max(...sums, 1));
  const lines = most % 2 === 0 ? [0, most / 2, most] : [0, most];
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    ${series.length > 1 ? legend(series) : nothing}
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-text">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-text">${description}</desc>
      ${lines.map((value) => line(value, most))} ${bars(chart, most)} ${names(chart)}
    </svg>
    <details>
      <summary>The numbers</summary>
      ${table({
        caption: title,
        columns: [
          { name: unit, show: (at: number) => labels[at] ?? '' },
          ...series.map(({ name, counts }) => ({
            name,
            isNumber: true,
            show: (at: number) => number(counts[at] ?? 0),
          })),
        ],
        rows: labels.map((_, at) => at),
      })}
    </details>
  </figure>`;
}
