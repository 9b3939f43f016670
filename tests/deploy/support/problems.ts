import { containersOf, matches, named, podOf, podsOf, type Manifest, type Untyped } from './manifests.ts';

/** What a pod lacks for the profile "restricted" of the Pod Security Standards, and for a read-only file system. */
export function unrestricted(manifest: Manifest): string[] {
  const { spec } = podOf(manifest);
  const problems: string[] = [];
  const need = (isGood: boolean, what: string) => {
    if (!isGood) problems.push(`${manifest.kind} ${manifest.metadata.name}: ${what}`);
  };
  need(spec.securityContext?.runAsNonRoot === true && spec.securityContext.runAsUser > 0, 'runs as root');
  need(spec.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile');
  need(!spec.hostNetwork && !spec.hostPID && !spec.hostIPC, 'uses namespaces of the host');
  need(spec.automountServiceAccountToken === false, 'has a token of the cluster');
  const volumes = new Set([
    'configMap',
    'secret',
    'emptyDir',
    'persistentVolumeClaim',
    'projected',
    'downwardAPI',
    'csi',
    'ephemeral',
  ]);
  for (const { name, ...volume } of spec.volumes ?? [])
    need(
      Object.keys(volume).every((type) => volumes.has(type)),
      `volume ${name} is of a kind that is not allowed`,
    );
  for (const { name, securityContext = {}, ports = [] } of containersOf(manifest)) {
    need(securityContext.allowPrivilegeEscalation === false, `${name} may gain rights`);
    need(securityContext.readOnlyRootFilesystem === true, `${name} may write its file system`);
    need(JSON.stringify(securityContext.capabilities?.drop) === '["ALL"]', `${name} keeps capabilities`);
    need(!securityContext.capabilities?.add && !securityContext.privileged, `${name} has more rights`);
    need(
      ports.every((port: Untyped) => port.hostPort === undefined),
      `${name} uses a port of the host`,
    );
  }
  return problems;
}

/** References by name to objects, pods or ports that the manifests do not have. */
export function brokenReferences(manifests: readonly Manifest[]): string[] {
  const broken: string[] = [];
  const need = (from: Manifest, kind: string, name: string | undefined) => {
    if (name !== undefined && !named(manifests, kind, name))
      broken.push(`${from.kind} ${from.metadata.name}: there is no ${kind} ${name}`);
  };
  for (const manifest of podsOf(manifests)) {
    const { spec } = podOf(manifest);
    need(manifest, 'ServiceAccount', spec.serviceAccountName);
    for (const { configMap, persistentVolumeClaim } of spec.volumes ?? []) {
      need(manifest, 'ConfigMap', configMap?.name);
      need(manifest, 'PersistentVolumeClaim', persistentVolumeClaim?.claimName);
    }
    for (const { name, envFrom = [], volumeMounts = [] } of containersOf(manifest)) {
      for (const { configMapRef } of envFrom) need(manifest, 'ConfigMap', configMapRef?.name);
      const volumes = [
        ...(spec.volumes ?? []),
        ...(manifest.spec.volumeClaimTemplates ?? []).map(({ metadata }: Untyped) => metadata),
      ];
      for (const mount of volumeMounts)
        if (!volumes.some((volume: Untyped) => volume.name === mount.name))
          broken.push(`${name}: there is no volume ${mount.name}`);
    }
  }
  const selected = (selector: Untyped) =>
    podsOf(manifests).filter((one) => matches(selector, podOf(one).metadata.labels));
  for (const manifest of manifests) {
    const { kind, spec, metadata } = manifest;
    if (kind === 'HorizontalPodAutoscaler')
      need(manifest, spec.scaleTargetRef.kind, spec.scaleTargetRef.name);
    if (kind === 'PodDisruptionBudget' && selected(spec.selector).length !== 1)
      broken.push(`${kind} ${metadata.name} does not select exactly one workload`);
    if (kind === 'Service')
      for (const { targetPort } of spec.ports)
        if (
          !selected({ matchLabels: spec.selector }).some((one) =>
            containersOf(one).some(({ ports = [] }) =>
              ports.some((port: Untyped) => port.name === targetPort),
            ),
          )
        )
          broken.push(`Service ${metadata.name}: no pod has the port ${targetPort}`);
  }
  return broken;
}
