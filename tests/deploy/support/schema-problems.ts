import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from './manifests.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/**
 * What is wrong with the manifests according to the API of Kubernetes: wrong values by the validators of `kubernetes-models`,
 * and unknown fields, which those accept, by the types of that package.
 */
export async function schemaProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const wrong = await Promise.all(manifests.map(valueProblem));
  return [...wrong.filter((problem) => problem !== undefined), ...(await unknownFields(manifests))];
}

/** `apps/v1` -> `kubernetes-models/apps/v1`; `policy/v1`, `v1` and so on likewise. */
const moduleOf = ({ apiVersion }: Manifest): string => `kubernetes-models/${apiVersion}`;

async function valueProblem(manifest: Manifest): Promise<string | undefined> {
  type Model = new (data: object) => { validate(): void };
  const module = (await import(moduleOf(manifest))) as Record<string, Model | undefined>;
  const Kind = module[manifest.kind];
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  if (!Kind) return `${name}: there is no such kind in ${manifest.apiVersion}`;
  try {
    new Kind(manifest).validate();
    return undefined;
  } catch (error) {
    return `${name}: ${(error as Error).message}`;
  }
}

/** An object literal with a field that its type lacks is an error of the compiler. */
async function unknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  // inside of the repository, so that the compiler finds its packages
  const folder = await mkdtemp(path.join(ROOT, 'tests/deploy/typed-'));
  try {
    const lines = manifests.map(
      (manifest, index) =>
        `export const one${index}: import(${JSON.stringify(moduleOf(manifest))}).I${manifest.kind} = ${JSON.stringify(manifest, null, 1)};`,
    );
    await writeFile(path.join(folder, 'manifests.ts'), lines.join('\n'));
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] };
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['manifests.ts'] }),
    );
    return await new Promise<string[]>((resolve) => {
      execFile(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], (error, stdout) =>
        resolve(error ? stdout.split('\n').filter((line) => line.includes('error')) : []),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
