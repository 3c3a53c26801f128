import { join } from 'node:path';
import { createSigner } from 'fast-jwt';
import type { LinkFor } from '@rollcall/application';
import { createSigningKey } from './token-keys.js';

const invitationAudience = 'rollcall-invitation';

const linkLifetimeSeconds = 30 * 86_400;

export const invitationKeyPaths = (keyFolder: string) => ({
  publicFolder: join(keyFolder, 'invitations'),
  privateFile: join(keyFolder, 'invitation.pem'),
});

function withToken(url: string, token: string): string {
  if (url.includes('{token}')) return url.replaceAll('{token}', token);
  const link = new URL(url);
  link.searchParams.set('token', token);
  return link.href;
}

/**
 * Links with a 30-day JWT (EdDSA): `aud` "rollcall-invitation", `sub` "company/number", `jti` the mail's Message-ID. It
 * replaces `{token}`, or becomes the parameter `token`. Creates the key on first use; the survey's site has the public half.
 */
export async function openInvitationLinks(options: {
  readonly keyFolder: string;
  readonly url: string;
}): Promise<LinkFor> {
  const { kid, pem } = await createSigningKey(invitationKeyPaths(options.keyFolder));
  const sign = createSigner({ algorithm: 'EdDSA', key: pem, kid });
  return ({ companyId, number, messageId, now }) => {
    const iat = Math.floor(now / 1000);
    const token = sign({
      iss: 'rollcall',
      aud: invitationAudience,
      sub: `${companyId}/${number}`,
      iat,
      exp: iat + linkLifetimeSeconds,
      jti: messageId,
    });
    return withToken(options.url, token);
  };
}
