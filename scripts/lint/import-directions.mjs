/**
 * Lint rule: which folder may import which.
 *
 *     server/      nothing else of this repository
 *     gateway/     server/ (by #server/) and schema/
 *     subgraphs/x/ server/ (by #server/) and itself, inside which
 *                  entity <- rules <- doors <- subgraph.ts <- main.ts
 *
 * Plain JavaScript, because the linter loads it on any version of Node.
 */
import path from 'node:path';
import { pathFromRoot } from './path-from-root.mjs';

/** Libraries for protocols. Only doors may use them, so that a rule works the same behind each door. */
const doorLibraries = /^(express|graphql|ws)(\/|$|-)|^@apollo\//;
const doorServerFolders = /^#server\/(graphql|rest)\//;

/**
 * Returns why `file` may not import `specifier`; undefined if it may.
 * @param {string} file path from the repository's root
 * @param {string} specifier as written in the import
 * @returns {string | undefined}
 */
export function whyForbidden(file, specifier) {
  const target = resolve(file, specifier);
  const from = file.split('/');

  if (from[0] === 'server') {
    if (target !== undefined && !isBelow('server', target)) {
      return `server/ imports nothing from the repository's other folders; got ${target}.`;
    }
  }
  if (from[0] === 'gateway') {
    if (target !== undefined && !isBelow('gateway', target) && !isBelow('schema', target)) {
      return throughServerPackage(target) ?? `gateway/ imports #server/*, schema/ and itself; got ${target}.`;
    }
  }
  if (from[0] === 'subgraphs' && from.length > 2) {
    const own = `subgraphs/${from[1]}`;
    if (target !== undefined && !isBelow(own, target)) {
      return throughServerPackage(target) ?? `A subgraph imports #server/* and itself; got ${target}.`;
    }
    return whyAgainstLayers(layerOf(file), target, specifier);
  }
  return undefined;
}

/** The imported file's path from the root if the specifier is a relative path; undefined for packages and #server/*. */
function resolve(file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
}

function isBelow(folder, file) {
  return file.startsWith(`${folder}/`);
}

function throughServerPackage(target) {
  return isBelow('server', target) ? `Import it as #${target}.` : undefined;
}

/**
 * The rules are in the file that is named after its folder (`check-ins/check-ins.ts`). The other plain files beside it contain
 * further parts of the domain, such as `squads/squad-rights.ts`, which entities and shapes may use.
 * @returns {'entity' | 'shapes' | 'domain' | 'rules' | 'door' | 'support' | 'subgraph' | 'main'}
 */
function layerOf(file) {
  const inside = file.split('/').slice(2);
  const name = inside.at(-1);
  if (name.endsWith('.entity.ts')) return 'entity';
  if (name.endsWith('.shapes.ts')) return 'shapes';
  if (/\.(graphql|rest|socket)\.ts$/.test(name) || name.endsWith('.generated.ts')) return 'door';
  if (inside.length === 1 && name === 'subgraph.ts') return 'subgraph';
  if (inside.length === 1 && name === 'main.ts') return 'main';
  // Files that use several folders, such as database.ts, services.ts and demo.ts, and the migrations.
  if (inside.length === 1 || inside[0] === 'migrations') return 'support';
  return name === `${inside.at(-2)}.ts` ? 'rules' : 'domain';
}

/** For each layer, the layers of its subgraph that it may not import. */
const above = {
  entity: ['rules', 'shapes', 'door', 'subgraph', 'main'],
  shapes: ['rules', 'door', 'subgraph', 'main'],
  domain: ['door', 'subgraph', 'main'],
  rules: ['door', 'subgraph', 'main'],
  door: ['subgraph', 'main'],
  support: ['subgraph', 'main'],
  subgraph: ['main'],
  main: [],
};

const names = {
  entity: 'An entity',
  shapes: 'Shapes',
  domain: 'A file of the domain',
  rules: 'A rule',
  door: 'A door',
  support: "A subgraph's shared file",
  subgraph: 'subgraph.ts',
};

function whyAgainstLayers(layer, target, specifier) {
  if (target !== undefined && above[layer].includes(layerOf(target))) {
    return `${names[layer]} may not import ${target}: entity <- rules <- doors <- subgraph.ts <- main.ts.`;
  }
  const isBelowDoors = ['entity', 'shapes', 'domain', 'rules'].includes(layer);
  if (isBelowDoors && target !== undefined && /^subgraphs\/[^/]+\/services\.ts$/.test(target)) {
    return `${names[layer]} may not import services.ts, which creates the rules: take what you need as an argument.`;
  }
  if (isBelowDoors && (doorLibraries.test(specifier) || doorServerFolders.test(specifier))) {
    return `${names[layer]} may not import "${specifier}": only doors may (*.graphql.ts, *.rest.ts, *.socket.ts).`;
  }
  return undefined;
}

export const importDirections = {
  meta: {
    type: 'problem',
    docs: { description: 'Enforces the directions of imports between parts and layers.' },
  },
  create(context) {
    const file = pathFromRoot(context.filename);
    const check = (source) => {
      if (typeof source?.value !== 'string') return;
      const message = whyForbidden(file, source.value);
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument?.literal ?? node.argument),
    };
  },
};
