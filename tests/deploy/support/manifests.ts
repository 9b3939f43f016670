import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Untyped } from '../../support/platform/http-client.ts';

export const KUBERNETES = path.join(import.meta.dirname, '../../../deploy/kubernetes');

/** The parts of a Kubernetes object that the tests read. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Untyped;
  data?: Record<string, string>;
}
export type { Untyped };

/** Why a test that renders manifests is skipped; empty if it is not. */
export const whyWithoutKubectl = ((): string => {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], {
    encoding: 'utf8',
  });
  if (status !== 0) return ' (skipped: kubectl not installed)';
  const { kustomizeVersion = 'v2' } = JSON.parse(stdout) as { kustomizeVersion?: string };
  const isNew = Number(/\d+/.exec(kustomizeVersion)?.[0]) >= 4;
  return isNew ? '' : ` (skipped: this kubectl has kustomize ${kustomizeVersion}; v4 or later is needed)`;
})();

/** Renders `base`, `overlays/trial` or `overlays/production`. */
export function render(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', path.join(KUBERNETES, folder)], { encoding: 'utf8' });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

export const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

/** The template of a workload's pods; undefined for other kinds. */
export const podOf = ({ kind, spec }: Manifest): Untyped =>
  ['Deployment', 'StatefulSet', 'Job'].includes(kind) ? spec.template : undefined;

export const podsOf = (manifests: readonly Manifest[]): Manifest[] =>
  manifests.filter((manifest) => podOf(manifest) !== undefined);

export const containersOf = (manifest: Manifest): Untyped[] => {
  const { containers, initContainers = [] } = podOf(manifest).spec;
  return [...containers, ...initContainers];
};

/** Whether the labels match a selector with `matchLabels` and `matchExpressions` (operator `In`). */
export function matches(selector: Untyped, labels: Record<string, string> = {}): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    (matchExpressions as { key: string; operator: string; values: string[] }[]).every(
      ({ key, operator, values }) => {
        if (operator !== 'In') throw new Error(`the tests do not know the operator ${operator}`);
        return values.includes(labels[key] ?? '');
      },
    )
  );
}
