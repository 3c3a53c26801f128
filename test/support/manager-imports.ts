import { decideAndAppend, type Clock, type EventLog, type Fold } from '@rollcall/application';
import type { CallContext, CompanySettings, ManagerRolesSummary } from '@rollcall/contracts';
import { companies, managers, rejectionTexts } from '@rollcall/domain';
import { Digester } from '@rollcall/employee-lists';

const digester = new Digester(Buffer.alloc(32, 7));

const fold: Fold<managers.ManagerRolesState> = {
  initial: managers.initialState,
  evolve: async (state, event) => {
    const { name } = event;
    if (name !== 'ManagerRolesImported') return state;
    return managers.evolve(state, { name, data: await event.data(name) });
  },
};

export const managerSettings = (companyId: number): CompanySettings => ({
  ...companies.defaultSettings(companyId),
  integrationEnabled: true,
  hierarchyEnabled: true,
  divisionDimensions: ['Division'],
  projectDimensions: ['Project'],
});

/** Appends what a manager import with this body comes to, straight to the log. */
export async function importManagers(
  on: { readonly log: EventLog; readonly clock: Clock },
  context: CallContext,
  body: unknown,
  settings = managerSettings(context.companyId ?? 0),
): Promise<ManagerRolesSummary> {
  const { operationId, companyId } = context;
  const bytes = Buffer.from(JSON.stringify(body));
  const command = {
    operationId,
    bodySha256: 'b'.repeat(64),
    reading: managers.readManagerImport(bytes),
    digester,
  };
  const outcome = await decideAndAppend(on, {
    stream: `company-${companyId}`,
    context,
    fold,
    decide: (state) =>
      managers.decide(command, {
        settings: { status: 'configured', companyId: companyId ?? 0, settings },
        managers: state,
      }),
  });
  if (outcome.kind === 'refused') throw new Error(managers.refusalText(rejectionTexts(outcome.rejection)));
  if (outcome.kind !== 'appended') throw new Error(outcome.kind);
  for (const event of outcome.events) return (await event.json()) as ManagerRolesSummary;
  throw new Error('no event');
}
