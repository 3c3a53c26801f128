import type { Piscina } from 'piscina';
import type { ObserveEventLog } from '../host/metrics/measured-event-log.js';
import {
  namedErrors,
  type ImportTask,
  type ImportThreadAnswer,
  type ImportThreadReply,
} from './thread-tasks.js';

type Answered<S> = Extract<ImportThreadAnswer, { status: S }>;

/** The answer to a task, or the error that it met, of its class again. */
export function answered<S extends 'opened' | 'accepted' | 'ran'>(
  answer: ImportThreadAnswer,
  status: S,
): Answered<S> {
  if (answer.status === status) return answer as Answered<S>;
  if (answer.status !== 'failed') throw new Error(`a task that should be ${status} is ${answer.status}`);
  const { name, message, stack } = answer;
  const error = name === undefined ? new Error(message) : new namedErrors[name](message);
  error.stack = stack;
  throw error;
}

/** Gives a task to a thread. */
export type AskThread = (
  task: ImportTask,
  options?: { readonly transferList: readonly ArrayBuffer[] },
) => Promise<ImportThreadAnswer>;

/** Asks a thread of the pool, and reports what it measured. */
export const askAndRecord =
  (threads: Piscina<ImportTask, ImportThreadReply>, observe: ObserveEventLog | undefined): AskThread =>
  async (task, options) => {
    const { answer, logCalls } = await threads.run(
      task,
      options && { transferList: [...options.transferList] },
    );
    if (observe) for (const call of logCalls) observe(...call);
    return answer;
  };
