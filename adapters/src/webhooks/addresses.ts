import { BlockList, isIP } from 'node:net';

/** Not reachable from the internet, or not one host: RFC 6890 and its updates, multicast included. */
const special = `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24,
  192.0.2.0/24, 192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/3,
  ::/96, ::ffff:0:0/96, ::ffff:0:0:0/96, 64:ff9b:1::/48, 100::/64, 2001::/23, 2001:db8::/32, 2002::/16, fc00::/7, fe80::/9, ff00::/8`;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

type Network = readonly [address: string, prefix: number, bits: number];

const networksIn = (text: string): readonly Network[] =>
  text.split(',').flatMap((part) => {
    const [address = '', prefix] = part.trim().split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const isWhole = /^[^/]+(?:\/\d{1,3})?$/.test(part.trim());
    return part.trim() === '' ? [] : [[isWhole ? address : '', Number(prefix ?? bits), bits]];
  });

/** Apart, because a list finds IPv4 addresses in IPv6 networks too. */
export type Networks = Readonly<Record<ReturnType<typeof familyOf>, BlockList>>;

function listOf(networks: readonly Network[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [network, prefix] of networks)
    lists[familyOf(network)].addSubnet(network, prefix, familyOf(network));
  return lists;
}

const refused = listOf(networksIn(special));
/** IPv4 behind NAT64 and as an IPv6 address. */
const mapped = /^(?:::ffff:|64:ff9b::)(?:(?<v4>[\d.]{7,})|(?<a>[\da-f]{1,4}):(?<b>[\da-f]{1,4}))$/i;

/** `10.1.0.0/16, fd00::/8, 127.0.0.1`; undefined where a part is no network. */
export function parseNetworks(text: string): Networks | undefined {
  const networks = networksIn(text);
  const isWrong = networks.some(
    ([address, prefix, bits]) =>
      isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > bits,
  );
  return isWrong ? undefined : listOf(networks);
}

export const isAllowed = (address: string, allowed: Networks): boolean =>
  isListed(address, allowed) || !isListed(address, refused);

export function isListed(address: string, lists: Networks): boolean {
  const plain = plainAddress(address);
  return lists[familyOf(plain)].check(plain, familyOf(plain));
}

/** IPv4 within IPv6 counts as what it is: `::ffff:7f00:1` as `127.0.0.1`. */
function plainAddress(address: string): string {
  const { v4, a, b } = mapped.exec(address)?.groups ?? {};
  if (a === undefined || b === undefined) return v4 ?? address;
  const parts = [a, b].map((part) => Number.parseInt(part, 16));
  return parts.flatMap((part) => [part >> 8, part & 0xff]).join('.');
}
