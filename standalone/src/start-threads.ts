import type { Closable } from '@rollcall/adapters';
import type { InvitationReport } from '@rollcall/worker';
import type { InvitationsThreadData, InvitationsMessage } from './invitations-thread.js';
import { startPartThread } from './part-thread.js';
import type { ProjectorThreadData } from './projector-thread.js';

export const startProjectorThread = (data: ProjectorThreadData): Closable =>
  startPartThread({ file: './projector-thread.js', name: 'The projector', data });

export function startInvitationsThread(data: InvitationsThreadData, report: InvitationReport): Closable {
  if (data.config.invitations.rate.total === 0) return { close: () => Promise.resolve() };
  const onMessage = (message: unknown): void => {
    const { counts, delays, oldestMs } = message as InvitationsMessage;
    Object.assign(report.counts, counts);
    for (const ms of delays) report.onDelay(ms);
    report.onOldest(oldestMs);
  };
  return startPartThread({
    file: './invitations-thread.js',
    name: 'What sends invitations',
    data,
    onMessage,
  });
}
