import type { CliIo } from '../cli-io.js';
import { plain } from '@rollcall/application';
import { beginBar } from '../progress-bar.js';
import { statusText } from './text.js';
import type { ImportRow } from './rows.js';

export interface ProgressView {
  /** `before`: how many imports run first; null where it is not pending. */
  show(operationId: string, row: ImportRow | undefined, before: number | null): Promise<void>;
  end(): void;
}

/** A bar on a terminal; otherwise a line per change, and nothing before JSON. */
export function progressView(io: CliIo, json: boolean): ProgressView {
  if (io.screen !== undefined) return barView(io.screen);
  return json ? { show: () => Promise.resolve(), end: () => undefined } : lineView(io);
}

function lineView(io: CliIo): ProgressView {
  let last = '';
  return {
    show: async (operationId, row, before) => {
      const line = `${operationId} ${stateText(row, before)}`;
      if (line === last || (row && row.CompletedOn !== null)) return;
      last = line;
      await io.out(`${line}\n`);
    },
    end: () => undefined,
  };
}

const besideState = 60;
const NARROWEST = 12;

function barView(screen: NodeJS.WriteStream): ProgressView {
  const bar = beginBar(screen, { format: '{bar} {percentage} % | {text}', barsize: 10, linewrap: true });
  let percent = 0;
  return {
    show: (operationId, row, before) => {
      percent = percentOf(row) ?? percent;
      const room = Math.max(screen.columns - besideState, NARROWEST);
      bar.update(percent, { text: `${stateText(row, before).slice(0, room)} ${operationId}` });
      return Promise.resolve();
    },
    end: () => bar.stop(),
  };
}

function stateText(row: ImportRow | undefined, before: number | null): string {
  if (row === undefined) return 'is not projected yet';
  if (row.Progress !== null) return `${statusText(row)} ${plain(row.Progress)}`;
  return before === null ? statusText(row) : `${statusText(row)} ${before} before it`;
}

/** `Progress` ends in a percentage; a new attempt starts at 0. */
function percentOf(row: ImportRow | undefined): number | undefined {
  if (row === undefined) return undefined;
  if (row.CompletedOn !== null) return 100;
  const percent = /(\d+) %$/.exec(row.Progress ?? '')?.[1];
  return percent === undefined ? 0 : Number(percent);
}
