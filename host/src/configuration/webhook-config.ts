import { ConfigInvalid, parseNetworks, type Networks } from '@rollcall/adapters';
import { Type, type Static, type TObject } from 'typebox';

export const webhookVariables = { WEBHOOK_NETWORKS: Type.String({ default: '' }) };

/** Private and special networks that webhooks may be sent to. `ConfigInvalid` where it is no list of networks. */
export function webhookNetworks({ WEBHOOK_NETWORKS }: Static<TObject<typeof webhookVariables>>): Networks {
  const networks = parseNetworks(WEBHOOK_NETWORKS);
  if (networks === undefined)
    throw new ConfigInvalid(
      'WEBHOOK_NETWORKS must be networks such as 10.1.0.0/16, fd00::/8, separated by commas',
    );
  return networks;
}
