import type { EventLog } from '@rollcall/application';
import { withMembers } from './with-members.js';

/** A log on a server as its user sees it: each call is a round trip, and an append does not tell a repeat from a first one. */
export interface CountedLog {
  readonly log: EventLog;
  /** The calls since the last look, as `append company-7`, in their order. */
  readonly taken: () => string[];
}

export function countedLog(log: EventLog): CountedLog {
  let calls: string[] = [];
  const counted = withMembers<EventLog>(log, {
    append: async (stream, expected, events) => {
      calls.push(`append ${stream}`);
      const result = await log.append(stream, expected, events);
      if (result.outcome === 'wrong-revision') return result;
      return { outcome: 'appended', revision: result.revision, position: result.position };
    },
    readStream: (stream, options) => {
      calls.push(`read ${stream}`);
      return log.readStream(stream, options);
    },
    readLast: (stream) => {
      calls.push(`read ${stream}`);
      return log.readLast(stream);
    },
    lastPosition: (options) => {
      calls.push('last position');
      return log.lastPosition(options);
    },
    deleteStream: (stream) => {
      calls.push(`delete ${stream}`);
      return log.deleteStream(stream);
    },
  });
  return {
    log: counted,
    taken: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}
