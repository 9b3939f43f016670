import ipaddr from 'ipaddr.js';
import { containersOf, matches, podOf, type Manifest, type Untyped } from './manifests.ts';

/** A pod of the rendered manifests by the name of its workload, a pod of another namespace by its labels, or an address. */
export type End = string | { namespace: Record<string, string> } | { address: string };

/**
 * Whether the network policies allow a connection to a port: the policies of the sender must allow it to leave, those of the
 * receiver to enter (https://kubernetes.io/docs/concepts/services-networking/network-policies/).
 */
export function isAllowed(manifests: readonly Manifest[], from: End, to: End, port: number): boolean {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const allows = (direction: 'Ingress' | 'Egress', own: End, other: End): boolean => {
    if (typeof own !== 'string') return true; // no policy here selects this end
    const selected = policies.filter(
      ({ spec }) =>
        spec.policyTypes.includes(direction) && matches(spec.podSelector, labelsOf(manifests, own)),
    );
    const [rules, peers] = direction === 'Ingress' ? ['ingress', 'from'] : ['egress', 'to'];
    return (
      selected.length === 0 ||
      selected.some(({ spec }) =>
        (spec[rules] ?? []).some(
          (rule: Untyped) =>
            (rule[peers] ?? []).some((peer: Untyped) => isPeer(manifests, peer, other)) &&
            (!rule.ports ||
              rule.ports.some(
                (one: Untyped) => one.port === undefined || portsOf(manifests, one.port, to).includes(port),
              )),
        ),
      )
    );
  };
  return allows('Egress', from, to) && allows('Ingress', to, from);
}

function isPeer(manifests: readonly Manifest[], peer: Untyped, end: End): boolean {
  if (typeof end === 'string')
    return Boolean(peer.podSelector) && matches(peer.podSelector, labelsOf(manifests, end));
  if ('namespace' in end)
    return Boolean(peer.namespaceSelector) && matches(peer.namespaceSelector, end.namespace);
  if (!peer.ipBlock) return false;
  const { cidr, except = [] } = peer.ipBlock as { cidr: string; except?: string[] };
  return contains(cidr, end.address) && !except.some((one) => contains(one, end.address));
}

function contains(cidr: string, text: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const address = ipaddr.parse(text);
  return address.kind() === network.kind() && address.match(network, bits);
}

const workload = (manifests: readonly Manifest[], name: string): Manifest => {
  const found = manifests.find((manifest) => podOf(manifest) && manifest.metadata.name === name);
  if (!found) throw new Error(`there is no workload ${name}`);
  return found;
};

const labelsOf = (manifests: readonly Manifest[], name: string): Record<string, string> =>
  podOf(workload(manifests, name)).metadata.labels;

/** The number of a port that may be given by its name at the receiver. */
function portsOf(manifests: readonly Manifest[], port: number | string, to: End): number[] {
  if (typeof port === 'number') return [port];
  if (typeof to !== 'string') return [];
  return containersOf(workload(manifests, to))
    .flatMap(({ ports = [] }) => ports as { name: string; containerPort: number }[])
    .filter(({ name }) => name === port)
    .map(({ containerPort }) => containerPort);
}
