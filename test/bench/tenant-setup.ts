import {
  addApiUser,
  apiUsersStream,
  configureCompany,
  decideAndAppend,
  newId,
  systemClock,
  type DecideAndAppendDeps,
  type Fold,
  readModelsVersion,
} from '@rollcall/application';
import {
  createSigningKey,
  keyPaths,
  openAdapters,
  tokenSigner,
  type AdaptersConfig,
} from '@rollcall/adapters';
import { contextFor, importingCompany } from '../servers/prepared-data.js';

/** So many companies are configured beside each other. */
const atOnce = 64;
/** So many API users are recorded with one append. */
const usersTogether = 1_000;
const roles = ['HRIntegration'] as const;

const nameOf = (companyId: number): string => `HR system ${companyId}`;

async function configureAll(deps: DecideAndAppendDeps, companies: number): Promise<void> {
  let next = 1;
  const some = async (): Promise<void> => {
    for (let companyId = next++; companyId <= companies; companyId = next++)
      await configureCompany(deps, contextFor(companyId), importingCompany(companyId));
  };
  await Promise.all(Array.from({ length: atOnce }, some));
}

/** Nothing is decided by the users before: a fold of all of them at each append would grow with their square. */
const unread: Fold<null> = { initial: () => null, evolve: () => Promise.resolve(null), touches: () => false };

/** User `n` belongs to company `n`. */
async function addUsers(deps: DecideAndAppendDeps, companies: number): Promise<void> {
  // The first one as an operator adds it.
  await addApiUser(deps, contextFor(1), { companyId: 1, name: nameOf(1), roles });
  for (let from = 2; from <= companies; from += usersTogether) {
    const ids = Array.from({ length: Math.min(usersTogether, companies + 1 - from) }, (_, n) => from + n);
    await decideAndAppend<null, never>(deps, {
      stream: apiUsersStream,
      context: contextFor(from),
      fold: unread,
      decide: () => ({
        kind: 'events',
        events: ids.map((id) => ({
          name: 'ApiUserCreated',
          data: { userId: id, companyId: id, name: nameOf(id), roles: [...roles] },
        })),
      }),
    });
  }
}

/**
 * Empty adapters become an installation with the companies 1 to `companies`, each with one API user. Returns their tokens, in
 * their order; they are signed and not recorded, as those of another issuer would be.
 */
export async function prepareTenants(config: AdaptersConfig, companies: number): Promise<string[]> {
  const adapters = await openAdapters({ ...config, projections: readModelsVersion });
  try {
    await adapters.readModels.beginEmpty();
    const deps = { log: adapters.log, clock: systemClock };
    await configureAll(deps, companies);
    await addUsers(deps, companies);
  } finally {
    await adapters.close();
  }
  return tenantTokens(config.dataDir, companies);
}

/** A token for the user of each company, by the folder's key, which is made where it is missing. */
export async function tenantTokens(dataDir: string, companies: number): Promise<string[]> {
  const signer = tokenSigner(await createSigningKey(keyPaths(dataDir)));
  const iat = Math.floor(systemClock.now() / 1_000);
  const common = { roles: [...roles], iss: 'rollcall', aud: 'rollcall', iat, exp: iat + 86_400 };
  return Array.from({ length: companies }, (_, index) =>
    signer.sign({
      ...common,
      sub: String(index + 1),
      name: nameOf(index + 1),
      company: index + 1,
      jti: newId(),
    }),
  );
}
