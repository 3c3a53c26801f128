import type { ManagerDryRunResult } from '@rollcall/contracts';
import {
  afterManagerRoles,
  type BodyReading,
  type CompanyState,
  type Digester,
  integrationSettings,
  managers,
} from '@rollcall/domain';
import type { FindNames, ImportCall, ImportDecision, OpenImport, Refusal } from './import-handler.js';

/** How many addresses of each kind a rehearsal names. */
const namedUsers = 1000;

/** A replacement of all manager roles. */
export class ManagerImport implements OpenImport {
  readonly #companyId: number;
  readonly #command: managers.ImportManagerRoles;
  #reading: managers.ManagerImportReading | undefined;

  constructor({ companyId, context, body, bodySha256 }: ImportCall, digester: Digester) {
    this.#companyId = companyId;
    this.#command = {
      operationId: context.operationId,
      bodySha256,
      digester,
      read: () => (this.#reading ??= managers.readManagerImport(body)),
    };
  }

  read(state: CompanyState): BodyReading<Refusal> {
    const settings = integrationSettings(state);
    if (!settings) return { status: 'invalid', rejection: refusalOf({ reason: 'integration-not-allowed' }) };
    const reading = this.#command.read();
    const problems =
      reading.status === 'invalid'
        ? reading.problems
        : problemsOf(managers.validate(reading.import, settings));
    if (reading.status === 'valid' && problems === undefined)
      return { status: 'valid', elements: reading.elements };
    return { status: 'invalid', rejection: refusalOf({ reason: 'invalid', problems: problems ?? [] }) };
  }

  decide(state: CompanyState): ImportDecision {
    const decision = managers.decide(this.#command, state);
    if (decision.kind === 'refused') return { kind: 'refused', refusal: refusalOf(decision.rejection) };
    const [event] = decision.events;
    return { kind: 'decided', event, after: (later, place) => afterManagerRoles(later, event, place) };
  }

  async rehearse(state: CompanyState, findNames: FindNames) {
    const rehearsed = managers.rehearse(this.#command, state);
    if (rehearsed.kind === 'refused') {
      const { errors } = refusalOf(rehearsed.rejection);
      return { kind: 'refused', errors, position: undefined } as const;
    }
    const { created, disabled, usersLocked, usersUnlocked, ignoredFields } = rehearsed.rehearsal;
    const emails = async (numbers: readonly number[]): Promise<string[]> => [
      ...(await findNames('managers', this.#companyId, numbers.slice(0, namedUsers))),
    ];
    const result: ManagerDryRunResult = {
      DryRun: true,
      Created: created,
      Disabled: disabled,
      Locked: usersLocked.length,
      Unlocked: usersUnlocked.length,
      WasQueued: false,
      Changes: { Locked: await emails(usersLocked), Unlocked: await emails(usersUnlocked) },
      IgnoredFields: ignoredFields,
      PendingImports: state.pending.length,
    };
    return { kind: 'dry-run', result } as const;
  }
}

const problemsOf = (validation: managers.ManagerImportValidation): readonly string[] | undefined =>
  validation.status === 'invalid' ? validation.problems : undefined;

function refusalOf(rejection: managers.ManagerImportRejection): Refusal {
  const errors = managers.rejectionTexts(rejection);
  const [first = ''] = errors;
  return { reason: rejection.reason === 'invalid' ? 'The manager import is not valid' : first, errors };
}
