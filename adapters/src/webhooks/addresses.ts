import { BlockList, isIP } from 'node:net';

/** Not reachable from the internet, or not one host: RFC 6890 and its updates, multicast included. */
const special = `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24,
  192.0.2.0/24, 192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/3,
  ::/128, ::1/128, 64:ff9b:1::/48, 100::/64, 2001::/23, 2001:db8::/32, 2002::/16, fc00::/7, fe80::/9, ff00::/8`;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

type Network = readonly [address: string, prefix: number, bits: number];

const networksIn = (text: string): readonly Network[] =>
  text.split(',').flatMap((part) => {
    const [address = '', prefix] = part.trim().split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const isWhole = /^[^/]+(?:\/\d{1,3})?$/.test(part.trim());
    return part.trim() === '' ? [] : [[isWhole ? address : '', Number(prefix ?? bits), bits]];
  });

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

const refused = listOf(networksIn(special));
/** IPv4 behind NAT64 and as an IPv6 address. */
const mapped = /^(?:::ffff:|64:ff9b::)(?<v4>\d+\.\d+\.\d+\.\d+)$/i;

/** `10.1.0.0/16, fd00::/8, 127.0.0.1`; undefined where a part is no network. */
export function parseNetworks(text: string): BlockList | undefined {
  const networks = networksIn(text);
  const isWrong = networks.some(
    ([address, prefix, bits]) =>
      isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > bits,
  );
  return isWrong ? undefined : listOf(networks);
}

/** Whether a webhook may be sent to this address. IPv4 within IPv6 counts as what it is. */
export function isAllowed(address: string, allowed: BlockList): boolean {
  const plain = mapped.exec(canonical(address))?.groups?.['v4'] ?? address;
  return allowed.check(plain, familyOf(plain)) || !refused.check(plain, familyOf(plain));
}

export const isListed = (address: string, allowed: BlockList): boolean =>
  allowed.check(address, familyOf(address));

/** `::ffff:7f00:1` as `::ffff:127.0.0.1`. */
function canonical(address: string): string {
  const found = /^(?<head>::ffff:|64:ff9b::)(?<a>[0-9a-f]{1,4}):(?<b>[0-9a-f]{1,4})$/i.exec(address)?.groups;
  if (!found) return address;
  const bits = [found['a'], found['b']].map((part) => Number.parseInt(part ?? '0', 16));
  return `${found['head'] ?? ''}${bits.flatMap((part) => [part >> 8, part & 0xff]).join('.')}`;
}
