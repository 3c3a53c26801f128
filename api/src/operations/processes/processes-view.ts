import type { FoundProcess, HealthAnswer } from '@rollcall/host';
import { html, nothing, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { counted } from '../frame/numbers.js';
import { facts, state, table } from '../frame/table.js';
import type { Situation } from './situation.js';

interface ProcessesView {
  readonly own: HealthAnswer['body'];
  readonly situation: Situation;
  readonly times: TimeOptions;
  /** The queue of this company alone, and no words about others. */
  readonly companyId: number | null;
}

const lagAlarmMs = 30_000;

const words: Readonly<Record<FoundProcess['status'], Html>> = {
  ok: state('good', 'Works'),
  degraded: state('bad', 'Works in part'),
  unavailable: state('bad', 'Does not work'),
  'no answer': state('bad', 'No answer'),
};

function lag({ situation: { lagMs }, times }: ProcessesView): Html {
  if (lagMs === undefined)
    return html`${state('bad', 'Unknown')} The event log or the read models do not answer.`;
  if (lagMs === 0) return html`${state('good', 'Everything that has happened is shown')}`;
  const since = html`The oldest event that is not shown is of ${time(times.now - lagMs, times)}.`;
  return lagMs < lagAlarmMs
    ? html`${state('waiting', 'Catching up')} ${since}`
    : html`${state('bad', 'Behind')} ${since}`;
}

const whatToDo = ({ situation: { lagMs = Infinity } }: ProcessesView): Html =>
  lagMs < lagAlarmMs
    ? nothing
    : html`<p>
        <b>What to do:</b> see that a projector runs and reaches the stores; its log says what it waits for.
        <code>rollcall projections status</code> shows how far it is, <code>rollcall doctor</code> what is
        wrong.
      </p>`;

function queue({ situation: { pending }, companyId, times }: ProcessesView): Html {
  if (pending === undefined) return state('bad', 'Unknown');
  const own = pending.filter((one) => companyId === null || one.companyId === companyId);
  const [oldest] = own.map(({ queuedAt }) => queuedAt).sort();
  if (oldest === undefined) return state('good', 'No import waits');
  return html`${counted(own.length, 'import')} under way, the oldest since ${time(oldest, times)}`;
}

function proof({ situation: { proof: found }, times }: ProcessesView): Html {
  if (found === undefined) return html`<span class="unknown">No projector verifies the log</span>`;
  const { broken, wholeAt, at } = found;
  if (broken.length > 0)
    return state('bad', `Broken in ${counted(broken.length, 'stream')}: rollcall audit verify`);
  const last = html`The projector last said so ${time(at, times)}`;
  return wholeAt === null
    ? html`The first round is not complete yet. ${last}`
    : html`${state('good', 'Whole')} ${time(wholeAt, times)}. ${last}`;
}

function anchor({ situation: { anchor: found }, times }: ProcessesView): Html {
  if (found === undefined) return html`<span class="unknown">None yet: a worker makes one each hour</span>`;
  return html`${time(found.time, times)}, over ${counted(found.events, 'event')}`;
}

const processTable = ({ own, situation, companyId }: ProcessesView): Html => {
  const { Status: status, Problems: problems, Version: version, Commit: commit } = own;
  const rows: readonly FoundProcess[] =
    situation.processes.length > 0
      ? situation.processes
      : [{ address: 'This process', status, version, commit, problems }];
  return table({
    caption: 'Processes and their health',
    columns: [
      { name: 'Process', show: ({ address }: FoundProcess) => address },
      { name: 'State', show: (row) => words[row.status] },
      { name: 'Version', show: (row) => row.version ?? '–' },
      { name: 'Built from', show: (row) => (row.commit === null ? '–' : html`<code>${row.commit}</code>`) },
      // Problems name streams of all companies.
      {
        name: 'Problems',
        show: (row) =>
          companyId === null ? row.problems.join('; ') || 'None' : counted(row.problems.length, 'problem'),
      },
    ],
    rows,
  });
};

const unasked = html`<p class="hint">
  Other processes are asked where <code>PROCESS_ADDRESSES</code> names them.
</p>`;

export const processesView = (view: ProcessesView): Html =>
  html`<h2>What is shown</h2>
    ${facts([
      ['Read models', lag(view)],
      ['Queue', queue(view)],
    ])}
    ${whatToDo(view)}
    <h2>Processes</h2>
    ${processTable(view)} ${view.situation.processes.length === 0 ? unasked : nothing}
    <h2>Proof</h2>
    ${facts([
      ['The whole log was last proved', proof(view)],
      ['Last anchor', anchor(view)],
    ])}`;
