import type { PreviewRow } from '@rollcall/contracts';
import {
  afterManagerRoles,
  type CompanyState,
  integrationSettings,
  managers,
  managersOutcome,
  rejectionTexts,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import type { IgnoredFields } from '@rollcall/employee-lists/text';
import type { DecidedImport, ImportCall, ImportHandler, RefusedImport, Rehearsal } from './import-handler.js';
import type { FindRows } from '../ports/imports.js';
import { ReadModelsUnavailable } from '../ports/read-models.js';
import { likelyUserRenames, type ManagerDifference, managerRows, namedUsers } from './manager-preview.js';
import type { StoredBody } from './stored-body.js';

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

  decide(state: CompanyState): DecidedImport | RefusedImport {
    const decision = managers.decide(this.#command(), state);
    if (decision.kind === 'refused') return refusal(decision.rejection);
    const [event] = decision.events;
    return {
      ...decision,
      outcome: () => managersOutcome(event),
      after: (later, place) => afterManagerRoles(later, event, place),
    };
  }

  async rehearse(state: CompanyState, findRows: FindRows): Promise<Rehearsal | RefusedImport> {
    const rehearsed = managers.rehearse(this.#command(), state);
    if (rehearsed.kind === 'refused') return refusal(rehearsed.rejection);
    const { event, created, disabled, usersLocked, usersUnlocked, ignoredFields } = rehearsed.rehearsal;
    const digests = managers.namesIn(state.managers);
    const find: ManagerDifference['find'] = async (numbers) => {
      const rows = await findRows('managers', this.#companyId, numbers);
      const isShown = (number: number, at: number): boolean =>
        !digests.has(number) ||
        digests.get(number) === managers.namesDigest(rows[at] ?? {}, this.#call.digester);
      if (numbers.every(isShown)) return rows;
      throw new ReadModelsUnavailable('The read models do not show the current portal users yet');
    };
    const difference =
      event.name === 'ManagerRolesImported' ? { event: event.data, before: state.managers, find } : undefined;
    const emails = async (numbers: readonly number[]): Promise<string[]> =>
      (await find(numbers.slice(0, namedUsers))).map((row) => String(row?.['Email']));
    const result: Rehearsal['result'] = {
      DryRun: true,
      Created: created,
      Disabled: disabled,
      Locked: usersLocked.length,
      Unlocked: usersUnlocked.length,
      WasQueued: false,
      Changes: { Locked: await emails(usersLocked), Unlocked: await emails(usersUnlocked) },
      IgnoredFields: ignoredFields,
      PendingImports: state.pending.length,
      LikelyRenames: difference ? await likelyUserRenames(difference) : { Count: 0, Renames: [] },
    };
    const rows = (): AsyncIterable<PreviewRow> => managerRows(difference);
    return { kind: 'rehearsed', result, outcome: managersOutcome(event), isChange: !!difference, rows };
  }
}

function refusal(rejection: managers.ManagerImportRejection): RefusedImport {
  const errors = rejectionTexts(rejection);
  const [first = ''] = errors;
  const reason = rejection.reason === 'invalid' ? 'The manager import is not valid' : first;
  return { kind: 'refused', rejection: { reason, errors } };
}
