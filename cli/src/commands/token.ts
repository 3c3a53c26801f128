import { existsSync } from 'node:fs';
import { createSigningKey, readSigningKey, tokenSigner } from '@rollcall/adapters';
import {
  findIssuedToken,
  issueToken,
  readApiUsers,
  revokeToken,
  type TokenSigner,
} from '@rollcall/application';
import { apiUsers } from '@rollcall/domain';

import type { Command } from '../command.js';
import type { CliIo } from '../cli-io.js';
import type { CliConfig } from '../config.js';
import * as values from '../options/values.js';
import { answer } from '../output.js';
import { withSession, type Session } from '../session.js';
import { listTokens, type ListOptions } from './token-list.js';
import { userRefusal } from './user-refusals.js';

interface IssueOptions {
  readonly user: number;
  readonly expires: number;
  readonly json?: boolean;
}

/** A public half that was removed, as after a leak, is not published again. */
async function signer(config: CliConfig): Promise<TokenSigner> {
  const isNew = config.ownPrivateKey && !existsSync(config.privateFile);
  return tokenSigner(await (isNew ? createSigningKey(config) : readSigningKey(config)));
}

const issue = (io: CliIo, { user: userId, expires, json = false }: IssueOptions): Promise<void> =>
  withSession(io, async (session) => {
    const { config } = session;
    const wanted = { userId, jti: '', kid: '', expiresAt: '' };
    const decision = apiUsers.decideIssue(wanted, await readApiUsers(session));
    // No key is made for a token that is refused.
    if (decision.kind === 'refused') throw userRefusal(decision.rejection);
    const outcome = await issueToken(session, session.context(null), {
      userId,
      lifetime: expires,
      jti: io.newId(),
      signer: await signer(config),
      issuer: config.jwtIssuer,
      audience: config.jwtAudience,
    });
    if (outcome.kind === 'refused') throw userRefusal(outcome.rejection);
    const { token, issued } = outcome;
    // Alone on stdout, for `TOKEN=$(rollcall token issue ...)`.
    if (!json)
      io.err(
        `Token ${issued.jti} for API user ${userId}, until ${issued.expiresAt}. It is shown this once.\n`,
      );
    await answer(io, json, { token, ...issued }, [token]);
  });

interface RevokeOptions {
  readonly jti: string;
  readonly reason?: string;
  readonly json?: boolean;
}

async function companyOfToken(session: Session, userId: number | undefined): Promise<number | null> {
  if (userId === undefined) return null;
  return (await readApiUsers(session)).users.get(userId)?.companyId ?? null;
}

const revoke = (io: CliIo, { jti, reason, json = false }: RevokeOptions): Promise<void> =>
  withSession(io, async (session) => {
    const issued = await findIssuedToken(session.log, jti);
    const context = session.context(await companyOfToken(session, issued?.userId), reason);
    const outcome = await revokeToken(session, context, jti);
    if (outcome.kind === 'refused') throw userRefusal(outcome.rejection);
    const changed = outcome.events.length > 0;
    if (!issued) io.err('No token with this id was issued here: check that it is the right one.\n');
    await answer(io, json, { jti, changed, issuedHere: issued !== undefined }, [
      `Token ${jti} ${changed ? 'is revoked' : 'was revoked already'}.`,
    ]);
  });

export function addCommands(token: Command, io: CliIo): void {
  token
    .command('issue')
    .description('print a new token; it is stored nowhere')
    .requiredOption('--user <id>', 'the API user', values.positiveInteger)
    .option(
      '--expires <time>',
      'how long it is valid: 365d, 12h, 30m',
      values.lifetime,
      values.lifetime('365d'),
    )
    .json()
    .examples('rollcall token issue --user 2', 'TOKEN=$(rollcall token issue --user 2 --expires 90d)')
    .action((options: IssueOptions) => issue(io, options));
  token
    .command('list')
    .description('the tokens that are known: by id, never the tokens themselves')
    .option('--company <id>', 'only those of its API users', values.positiveInteger)
    .option('--user <id>', 'only those of this API user', values.positiveInteger)
    .json()
    .examples('rollcall token list --company 7', 'rollcall token list --user 2 --json')
    .action((options: ListOptions) => listTokens(io, options));
  token
    .command('revoke')
    .description('refuse a token from now on')
    .requiredOption('--jti <id>', 'the id of the token', values.tokenId)
    .option('--reason <text>', 'why, for the audit log', values.reason)
    .json()
    .examples('rollcall token revoke --jti 019aa2f0-5c00-7000-8000-000000000001 --reason "seen in a mail"')
    .action((options: RevokeOptions) => revoke(io, options));
}
