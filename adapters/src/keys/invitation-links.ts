import { join } from 'node:path';
import { createSigner } from 'fast-jwt';
import type { LinkFor } from '@rollcall/application';
import { createSigningKey } from './index.js';

/** What the token of an invitation is for; no token of an API user says so. */
const invitationAudience = 'rollcall-invitation';

/** How long a link works from when the mail was sent, in seconds. */
const linkLifetime = 30 * 86_400;

/** Where the keys of links lie, apart from those of API tokens. */
export const invitationKeyPlaces = (keyFolder: string) => ({
  publicFolder: join(keyFolder, 'invitations'),
  privateFile: join(keyFolder, 'invitation.pem'),
});

/** The token's place in the link: where `{token}` stands, otherwise the parameter `token`. */
function withToken(url: string, token: string): string {
  if (url.includes('{token}')) return url.replaceAll('{token}', token);
  const link = new URL(url);
  link.searchParams.set('token', token);
  return link.href;
}

/**
 * Links with a signed token of 30 days: a JWT (EdDSA) with `aud` "rollcall-invitation", `sub` "company/number" and the mail's
 * Message-ID as `jti`. The installation's key for it is made the first time; its public half is what the survey's site
 * checks with.
 */
export async function openInvitationLinks(options: {
  readonly keyFolder: string;
  readonly url: string;
}): Promise<LinkFor> {
  const { kid, pem } = await createSigningKey(invitationKeyPlaces(options.keyFolder));
  const sign = createSigner({ algorithm: 'EdDSA', key: pem, kid });
  return ({ companyId, number, messageId, now }) => {
    const iat = Math.floor(now / 1000);
    const token = sign({
      iss: 'rollcall',
      aud: invitationAudience,
      sub: `${companyId}/${number}`,
      iat,
      exp: iat + linkLifetime,
      jti: messageId,
    });
    return withToken(options.url, token);
  };
}
