import { employeesExample } from '@rollcall/contracts';
import { companies, decideEmployeeSet, initialCompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { checkEmployees, bodyInMemory } from './stored-body.js';

/** Enough that the engine optimises the code for each employee, too. */
const employees = 2000;

const invented = (index: number) => ({
  ...employeesExample[0],
  EmployeeID: `A-${index}`,
  InvitationDate: null,
  Phonenumber: `+45${10_000_000 + index}`,
  Email: `åsa.${index}@example.com`,
});

/** Cold code takes several times as long: without this, the first import of a thread would pay for it. */
export function warmUp(digester: Digester): void {
  const body = Buffer.from(JSON.stringify(Array.from({ length: employees }, (_, index) => invented(index))));
  const reading = checkEmployees(bodyInMemory(body, ''), { digester }, Number.POSITIVE_INFINITY);
  if (reading.status !== 'valid') throw new Error('the invented list is not valid');
  const call = { companyId: 1, operationId: '', bodySha256: '', receivedAt: 0, reading, digester };
  const settings = {
    ...companies.defaultSettings(1),
    timeZone: 'Europe/Copenhagen',
    integrationEnabled: true,
  };
  const decision = decideEmployeeSet(call, {
    ...initialCompanyState(),
    settings: { status: 'configured', companyId: 1, settings },
  });
  if (decision.kind === 'replaced') Array.from(decision.source.chunks());
}
