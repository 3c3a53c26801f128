import type { ManagerDryRunResult } from '@rollcall/contracts';
import { afterManagerRoles, type CompanyState, integrationSettings, managers } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { PreparedEvents } from '../event-store/decide-and-append.js';
import type { FindNames, ImportCall, ImportHandler, RefusedImport } from './import-handler.js';
import type { StoredBody } from './stored-body.js';

/** E-mail addresses of each kind that a rehearsal names. */
const namedUsers = 1000;

export class ManagerImport implements ImportHandler {
  readonly #companyId: number;
  readonly #call: Pick<managers.ImportManagerRoles, 'operationId' | 'bodySha256' | 'digester'>;
  readonly #body: StoredBody;
  #reading: managers.ManagerImportReading | undefined;

  constructor({ companyId, context, body }: ImportCall, digester: Digester) {
    this.#companyId = companyId;
    this.#call = { operationId: context.operationId, bodySha256: body.sha256, digester };
    this.#body = body;
  }

  #command(): managers.ImportManagerRoles {
    this.#reading ??= managers.readManagerImport(this.#body.read(0, this.#body.length));
    return { ...this.#call, reading: this.#reading };
  }

  get ignored(): IgnoredFields {
    return managers.ignoredFields(this.#command().reading);
  }

  check(state: CompanyState) {
    const settings = integrationSettings(state);
    if (!settings) return refusal({ reason: 'integration-not-allowed' });
    const { reading } = this.#command();
    if (reading.status === 'invalid') return refusal({ reason: 'invalid', problems: reading.problems });
    const validation = managers.validate(reading.import, settings);
    if (validation.status === 'invalid') return refusal({ reason: 'invalid', problems: validation.problems });
    return { kind: 'valid', elements: reading.elements } as const;
  }

  decide(state: CompanyState): PreparedEvents<CompanyState> | RefusedImport {
    const decision = managers.decide(this.#command(), state);
    if (decision.kind === 'refused') return refusal(decision.rejection);
    const [event] = decision.events;
    return { ...decision, after: (later, place) => afterManagerRoles(later, event, place) };
  }

  async rehearse(state: CompanyState, findNames: FindNames) {
    const rehearsed = managers.rehearse(this.#command(), state);
    if (rehearsed.kind === 'refused') {
      const { errors } = refusal(rehearsed.rejection).rejection;
      return { kind: 'refused', errors, written: undefined } as const;
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

function refusal(rejection: managers.ManagerImportRejection): RefusedImport {
  const errors = managers.rejectionTexts(rejection);
  const [first = ''] = errors;
  const reason = rejection.reason === 'invalid' ? 'The manager import is not valid' : first;
  return { kind: 'refused', rejection: { reason, errors } };
}
