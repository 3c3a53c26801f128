import { apiUsersStream, decideAndAppend, type DecideAndAppendDeps } from '@rollcall/application';
import { companyId, testContext } from './test-store.js';

/** API users with these numbers, by one append. */
export async function addUsers(on: DecideAndAppendDeps, from: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => from + index);
  await decideAndAppend<null, never>(on, {
    stream: apiUsersStream,
    context: testContext(companyId),
    fold: { initial: () => null, evolve: () => null },
    decide: () => ({
      kind: 'events',
      events: ids.map((userId) => ({
        name: 'ApiUserCreated',
        data: { userId, companyId, name: `User ${userId}`, roles: ['HRIntegration'] },
      })),
    }),
  });
}
