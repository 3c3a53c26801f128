import { Option } from 'commander';
import { daysOrAll } from './values.js';

export interface KeepCalls {
  readonly keepCalls?: string;
}

export const keepCalls = (): Option =>
  new Option(
    '--keep-calls <days>',
    'how long rows of ApiCalls are shown, as 400d, or all: KEEP_CALLS',
  ).argParser(daysOrAll);

/** What the option sets in the environment. */
export const keepCallsVariable = ({ keepCalls }: KeepCalls): NodeJS.ProcessEnv =>
  keepCalls === undefined ? {} : { KEEP_CALLS: keepCalls };
